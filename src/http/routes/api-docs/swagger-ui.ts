/*
 * The page that shows the OpenAPI description: files of the package swagger-ui-dist, and a few lines of our own. All
 * URLs are relative, so that the page works below any path of a proxy. It loads nothing from other servers.
 */

/** The files of the package that are served, with their media types. */
export const assets: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['initializer.js', 'text/javascript; charset=utf-8'],
  ['page.css', 'text/css; charset=utf-8'],
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
<link rel="icon" type="image/svg+xml" href="favicon.svg">
<link rel="stylesheet" href="swagger-ui/swagger-ui.css">
<link rel="stylesheet" href="swagger-ui/page.css">
</head>
<body>
<header><a href="dashboard">Dashboard</a> <a href="v3/api-docs">This description as JSON</a></header>
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
  // Swagger UI sends an empty part for each part of a form that was left out.
  requestInterceptor(request) {
    if (request.body instanceof FormData)
      for (const [name, value] of [...request.body]) if (value === '') request.body.delete(name)
    return request
  },
})
`

/**
 * The frame of the page, and its dark form: Swagger UI has a light one only, so its colours are turned. Pictures and
 * examples, which are light on dark, are turned back.
 */
export const pageStyle = `
:root { color-scheme: light }
body { margin: 0; background: #fff; font: 1rem/1.5 system-ui, sans-serif }
header, noscript { display: block; max-width: 1420px; margin: 0 auto; padding: .75rem 20px 0 }
header a { margin-right: 1.25rem }
a { color: #0b57a4 }
@media (prefers-color-scheme: dark) {
  html, body { background: #14181c; color: #e4e8ec }
  body > header a, noscript a { color: #7db7f5 }
  #interface { filter: invert(.92) hue-rotate(180deg) }
  #interface .microlight, #interface .highlight-code, #interface img { filter: invert(1) hue-rotate(180deg) }
  #interface .highlight-code .microlight { filter: none }
}
`
