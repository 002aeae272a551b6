# The scoring service. Untried: no container can be built where this was written.
#
#   docker build -t sub2node .
#   docker run -p 8000:8000 -v "$PWD/my-model:/model:ro" -e S2N_TOKEN=secret sub2node
FROM python:3.12-slim

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu \
      --constraint constraints.txt '.[serve]' \
 && useradd --create-home service

USER service
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["s2n", "serve", "--host", "0.0.0.0"]
CMD ["/model"]
