import type { Content, Headers } from '../../../http/openapi/specification-types.js'
import { exportFormats } from '../export-formats.js'

/** The media types of the formats, for the description of the interface; several formats share one. */
export const exportContent: Content = Object.fromEntries(
  exportFormats.map(({ mediaType }) => [
    mediaType,
    { schema: mediaType.endsWith('json') ? {} : { type: 'string' } },
  ]),
)

/** Headers that some formats have. */
export const formatHeaders: Headers = {
  'Content-Disposition': {
    description: 'The name of the file, for formats that other programs open.',
    schema: { type: 'string', pattern: '^attachment; filename="[^"]+"$' },
  },
}
