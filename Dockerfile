# git-metastore in a container: docker build -t git-metastore . && docker run -p 127.0.0.1:8040:8040 -v metastore:/data -e METASTORE_INSECURE=true git-metastore
# See docs/run/operations.md.

FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build
RUN npm prune --omit=dev

FROM node:20-slim
# What is stored is a Git repository, and git itself is its second interface. With ca-certificates it reaches other
# repositories over https, with openssh-client over ssh, which signs commits, too (--sign). tini, as the first process,
# collects what git leaves when it is ended: nobody else does in a container.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git openssh-client tini \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /data \
 && chown node:node /data
ENV NODE_ENV=production \
    METASTORE_DATA=/data/repository \
    METASTORE_HOST=0.0.0.0 \
    METASTORE_PORT=8040 \
    METASTORE_LOG=json
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/bin/git-metastore.js /app/bin/is-live.js ./bin/
COPY --from=build /app/data-template ./data-template
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist/program ./dist/program
USER node
VOLUME /data
EXPOSE 8040
# A signal reaches node, by tini: the server finishes what it has accepted.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=10m --retries=3 \
  CMD ["node", "bin/is-live.js"]
ENTRYPOINT ["tini", "-s", "--", "node", "bin/git-metastore.js"]
CMD ["serve"]
