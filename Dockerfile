FROM python:3.11-slim-bookworm

WORKDIR /app
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock

# The code belongs to root, so that the server cannot change it. What it writes: shared runs, in a
# volume, and compiled loops.
RUN useradd --no-create-home mlscope && mkdir /data /var/cache/mlscope && \
    chown mlscope /data /var/cache/mlscope
ENV MLSCOPE_STORE=/data NUMBA_CACHE_DIR=/var/cache/mlscope
VOLUME /data
COPY . .
RUN python -m compileall -q app.py mlcore figures service ui pages
USER mlscope

EXPOSE 8501
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8501/_stcore/health')"]

# Compiled at the start, not here: the machine that builds may have another processor.
CMD ["sh", "-c", "python -m mlcore warm && exec python -m ui.serve --server.address 0.0.0.0 --server.headless true"]
