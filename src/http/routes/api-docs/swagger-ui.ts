/*
 * The page that shows the OpenAPI description: files of the package swagger-ui-dist, and a few lines of our own. All
 * URLs are relative, so that the page works below any path of a proxy. It loads nothing from other servers.
 */

/** The files of the package that are served, with their media types. */
export const assets: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
  ['initializer.js', 'text/javascript; charset=utf-8'],
])

/** Allows files from and requests to this server only. Images in the style sheet are `data:` URLs. */
export const swaggerContentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  // The page sets `style` attributes of elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const descriptionPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Interface of git-metastore</title>
<link rel="icon" type="image/png" href="swagger-ui/favicon-32x32.png">
<link rel="stylesheet" href="swagger-ui/swagger-ui.css">
</head>
<body>
<noscript>This page needs JavaScript. The description itself is at <a href="v3/api-docs">v3/api-docs</a>.</noscript>
<div id="interface"></div>
<script src="swagger-ui/swagger-ui-bundle.js"></script>
<script src="swagger-ui/initializer.js"></script>
</body>
</html>
`

export const initializer = `SwaggerUIBundle({
  url: 'v3/api-docs',
  dom_id: '#interface',
  deepLinking: true,
  filter: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // Disables the request to the validator of another server.
  validatorUrl: null,
})
`
