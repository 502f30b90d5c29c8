# A saved model as a service, on the image of the app:
#   docker build -t mlscope .
#   docker build -f hosting/serve.Dockerfile --build-arg MODEL=MODEL.zip -t my-model .
#   docker run --rm -p 127.0.0.1:8600:8600 --memory 4g my-model
# MODEL is a path within the folder that is built from. There are no accounts and no encryption.
ARG BASE=mlscope
FROM ${BASE}

ARG MODEL
COPY ${MODEL} /model.zip
USER mlscope

EXPOSE 8600
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8600/health')"]

# Processes that answer compile what the model needs as they start.
CMD ["python", "-m", "mlcore", "serve", "/model.zip", "--host", "0.0.0.0"]
