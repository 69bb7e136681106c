# The image of Headgate: the executable for production, which has no development chains, on a small
# Debian, as a user that may write /data and /tmp.
#
#   docker build -t headgate .
#   docker run --read-only --tmpfs /tmp -v headgate:/data -p 127.0.0.1:8080:8080 \
#     -v ./headgate.yaml:/etc/headgate.yaml:ro -e HEADGATE_CONFIG=/etc/headgate.yaml headgate

FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY packages packages
# Of all install scripts only the runtime's is needed, which puts it in place.
RUN npm ci --ignore-scripts && node node_modules/bun/install.js
COPY tsconfig.json ./
COPY scripts scripts
COPY dashboard dashboard
COPY src src
# The documentation, and the files that it links to.
COPY README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE Dockerfile ./
COPY headgate.example.yaml headgate.schema.json compose.yaml ./
COPY bench bench
COPY deploy deploy
COPY docs docs
COPY examples examples
RUN npm run build:executable -- --production --out out && mv out/headgate-* headgate && mkdir data

FROM debian:bookworm-slim
COPY --from=build /build/headgate /headgate
COPY --from=build --chown=65532:65532 /build/data /data

ENV HEADGATE_LISTEN=0.0.0.0:8080 \
    HEADGATE_DATA=/data \
    BUN_CONFIG_MAX_HTTP_REQUESTS=16384

USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM

# With BUN_BE_BUN the executable is the runtime that is in it, so that no other program is needed.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["env", "BUN_BE_BUN=1", "/headgate", "-e", "const port = process.env.HEADGATE_LISTEN.split(':').pop(); const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`); process.exit(ok ? 0 : 1)"]

ENTRYPOINT ["/headgate"]
