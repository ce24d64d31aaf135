# syntax=docker/dockerfile:1
# The worker of docker-compose.yml: slim, not root, with bubblewrap for its rooms.
ARG NODE_IMAGE
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap git ca-certificates openssh-client python3 tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --create-home --uid 10001 a7 \
  && mkdir /data /repositories && chown a7 /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY --from=build /app/roles ./roles
COPY --from=build /app/sandbox ./sandbox
COPY --from=build /app/scripts ./scripts
COPY --from=build /app/examples ./examples
USER a7
ENV A7_HOME=/data
# Set-up makes what rooms are built from, once, in the volume; then the worker.
ENV A7_CACHE=/data/cache
ENTRYPOINT ["/bin/sh", "-c", "node scripts/setup.mjs && exec node bin/a7-rt.mjs worker"]
