# The service and the Spark driver that it supervises, in one image.
#
#   docker build -t weft .
#   docker run -p 8000:8000 -e WEFT_API_KEYS=<a long secret> -v weft-data:/data weft
#
# The image listens on all interfaces, and Weft refuses to do that without API keys: WEFT_API_KEYS must be given.

FROM python:3.11-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/weft
WORKDIR /src
# The lock comes first, so that a change of the code does not install 400 MB of Spark again.
COPY requirements.lock ./
RUN /opt/weft/bin/python -m pip install --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY costmodel ./costmodel
COPY optimizer ./optimizer
COPY planner_spark ./planner_spark
COPY app ./app
RUN /opt/weft/bin/python -m pip install --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm
# Debian replaces its package versions with security fixes, so a pinned version cannot be installed for long.
# Spark's scripts call ps (procps); the link gives Java a home of one name on every architecture.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jre-headless procps \
    && rm -rf /var/lib/apt/lists/* \
    && ln -s "/usr/lib/jvm/java-17-openjdk-$(dpkg --print-architecture)" /usr/lib/jvm/default-java
RUN useradd --system --uid 10001 --create-home weft \
    && install -d -o weft -g weft /data
COPY --from=build /opt/weft /opt/weft
ENV PATH=/opt/weft/bin:$PATH \
    JAVA_HOME=/usr/lib/jvm/default-java \
    PYTHONUNBUFFERED=1 \
    WEFT_HOST=0.0.0.0 \
    WEFT_PORT=8000 \
    WEFT_HOME=/data
# By number, so that a host that checks for a non-root user can tell.
USER 10001
WORKDIR /home/weft
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['WEFT_PORT'] + '/healthz', timeout=2)"]
CMD ["weft", "serve"]
