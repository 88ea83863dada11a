# One image for all parts. The command selects the part: services/{api,worker,migrate}/main.ts. Node runs TypeScript.
FROM node:24.21.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages are the embedded PostgreSQL, which only `npm start` uses, and native code with a fallback.
RUN npm ci --omit=dev --omit=optional

# The browser pages need development packages, which the image omits.
FROM node:24.21.0-slim AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY packages packages
RUN node -e "import('#inspector/build.ts').then(({ buildPages }) => buildPages()).then((isBuilt) => process.exit(isBuilt ? 0 : 1))"

FROM node:24.21.0-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY migrations migrations
COPY packages packages
COPY --from=pages /app/packages/inspector/dist packages/inspector/dist
COPY services services
USER node
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "services/api/main.ts"]
