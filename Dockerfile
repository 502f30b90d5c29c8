FROM python:3.11-slim-bookworm

WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt

# Compiled loops are kept beside their sources, so the user owns them.
RUN useradd --no-create-home mlscope && chown mlscope /app
USER mlscope
COPY --chown=mlscope . .

EXPOSE 8501
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8501/_stcore/health')"]

# Compiled at the start, not here: the machine that builds may have another processor.
CMD ["sh", "-c", "python -m mlcore warm && exec python -m streamlit run app.py --server.address 0.0.0.0 --server.headless true"]
