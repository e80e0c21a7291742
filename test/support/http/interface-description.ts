import { features } from '../../../src/features.js'
import { uploadLimits } from '../../../src/http/forms/upload-limits.js'
import type { OpenApiDocument } from '../../../src/http/openapi/specification-types.js'
import { describeInterface } from '../../../src/http/openapi-document.js'
import { openRoutes, withFeatures } from '../../../src/http/routes.js'

const ofFeatures = await Promise.all(features.map(feature => feature.loadRoutes()))
/** Every route of a server with the default limits. */
export const allRoutes = withFeatures(openRoutes(uploadLimits(), ofFeatures), ofFeatures)

/** The OpenAPI description of a server with the default limits. @param base base URL, without a slash at the end */
export function interfaceDescription(base = ''): OpenApiDocument {
  return describeInterface(allRoutes, base, '')
}
