# git-metastore in a container: docker build -t git-metastore . && docker run -p 127.0.0.1:8040:8040 -v metastore:/data -e METASTORE_INSECURE=true git-metastore
# See docs/operations.md.

FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build
RUN npm prune --omit=dev

FROM node:20-slim
# What is stored is a Git repository, and git itself is its second interface. openssh-client signs commits (--sign).
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git openssh-client \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /data \
 && chown node:node /data
ENV NODE_ENV=production \
    METASTORE_DATA=/data/repository \
    METASTORE_HOST=0.0.0.0 \
    METASTORE_PORT=8040 \
    METASTORE_LOG=json
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/data-template ./data-template
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist/src ./dist/src
USER node
VOLUME /data
EXPOSE 8040
# A signal reaches node itself: the server finishes what it has accepted.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "bin/is-live.js"]
ENTRYPOINT ["node", "bin/git-metastore.js"]
CMD ["serve"]
