import { type ExportFormat, exportFormats } from '../../../exports/export-formats.js'
import { mediaTypeWith } from '../../../exports/text/web-link.js'
import type { Content } from '../../openapi/specification-types.js'

/** The media types of the formats, for the description of the interface. */
export const exportContent: Content = Object.fromEntries(
  exportFormats.map(({ mediaType, ...others }: ExportFormat) => [
    mediaTypeWith(mediaType, others.profile),
    { schema: mediaType.endsWith('json') ? {} : { type: 'string' } },
  ]),
)
