# The page of tokoban, without torch. Never built so far: the machines that test the project have no Docker.
#   docker build -t tokoban . && docker run --rm -p 127.0.0.1:8624:8624 tokoban
FROM python:3.12-slim
COPY . /src
RUN pip install --no-cache-dir /src && rm -rf /src && tokoban prepare
ENTRYPOINT ["tokoban"]
CMD ["web", "--no-open", "--host", "0.0.0.0"]
