import { uploadLimits } from '../../../src/http/forms/upload-limits.js'
import type { OpenApiDocument } from '../../../src/http/openapi/specification-types.js'
import { describeInterface } from '../../../src/http/openapi-document.js'
import { openRoutes } from '../../../src/http/routes.js'

/** The OpenAPI description of a server with the default limits. @param base base URL, without a slash at the end */
export function interfaceDescription(base = ''): OpenApiDocument {
  return describeInterface(openRoutes(uploadLimits()), base, '')
}
