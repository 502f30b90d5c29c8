FROM python:3.11-slim-bookworm

WORKDIR /app
COPY requirements.txt requirements-hosting.txt ./
RUN pip install --no-cache-dir -r requirements.txt -r requirements-hosting.txt

# Compiled loops are kept beside their sources, so the user owns them; shared runs in a volume.
RUN useradd --no-create-home mlscope && mkdir /data && chown mlscope /app /data
ENV MLSCOPE_STORE=/data
VOLUME /data
USER mlscope
COPY --chown=mlscope . .

EXPOSE 8501
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8501/_stcore/health')"]

# Compiled at the start, not here: the machine that builds may have another processor.
CMD ["sh", "-c", "python -m mlcore warm && exec python -m streamlit run app.py --server.address 0.0.0.0 --server.headless true"]
