# The worker of docker-compose.yml: slim, not root, with bubblewrap for its rooms. For the classic builder and BuildKit alike.
ARG NODE_IMAGE
ARG DEBIAN_IMAGE
ARG TEMPORAL_TOOLS_IMAGE
FROM ${TEMPORAL_TOOLS_IMAGE} AS tools

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/@temporalio/core-bridge/releases/*-apple-* node_modules/@temporalio/core-bridge/releases/*-windows-*

# What rooms see: the sandbox image's recipe, made here because it needs root; the worker's set-up unpacks it into its volume.
FROM ${DEBIAN_IMAGE} AS rooms
COPY sandbox/image/packages.txt sandbox/image/finish.sh /recipe/
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(grep -v '^#' /recipe/packages.txt)
COPY --from=build /usr/local/bin/node /usr/local/bin/node
RUN sh /recipe/finish.sh && rm -rf /recipe \
  && mkdir /packed \
  && tar -C / -czf /packed/rootfs.tar.gz --exclude=./packed --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' .

FROM ${NODE_IMAGE}
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap git ca-certificates openssh-client python3 python3-pip \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --create-home --uid 10001 a7 \
  && mkdir /data /repositories && chown a7 /data
WORKDIR /app
COPY --from=tools /usr/local/bin/temporal /usr/local/bin/temporal
COPY --from=rooms /packed/rootfs.tar.gz /opt/a7-rt/
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY --from=build /app/roles ./roles
COPY --from=build /app/sandbox ./sandbox
COPY --from=build /app/scripts ./scripts
COPY --from=build /app/examples ./examples
RUN ln -s /app/bin/a7-rt.mjs /usr/local/bin/a7-rt
USER a7
ENV A7_HOME=/data A7_CACHE=/data/cache A7_ROOTFS_TAR=/opt/a7-rt/rootfs.tar.gz
# Set-up unpacks what rooms are made of, once, into the volume; then the worker.
ENTRYPOINT ["/bin/sh", "-c", "node scripts/setup.mjs && exec a7-rt worker"]
