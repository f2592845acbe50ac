"""Tests of what surrounds the code: the image, the documents, the examples in them."""
