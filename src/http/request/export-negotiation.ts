import { type ExportFormat, type ExportName, exportFormats } from '../../exports/export-formats.js'

/*
 * `Accept` with profiles: several export formats share one media type.
 */

/** A media range of `Accept`, with the profile that distinguishes formats. */
interface AcceptedRange {
  readonly type: string
  readonly profile: string | undefined
  readonly quality: number
}

/** The parts between commas or semicolons, except those within quotes. */
const listItem = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const parameterItem = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g

/** The acceptable ranges by quality; equal ones in the order of the header. @see RFC 9110 §12.5.1 */
function acceptedRanges(accept: string): readonly AcceptedRange[] {
  const ranges = (accept.match(listItem) ?? []).map((item): AcceptedRange => {
    const [type = '', ...parameters] = (item.match(parameterItem) ?? []).map(part => part.trim())
    let profile: string | undefined
    let quality = 1
    for (const parameter of parameters) {
      const equals = parameter.indexOf('=')
      const name = parameter.slice(0, Math.max(equals, 0)).trim().toLowerCase()
      const value = unquoted(parameter.slice(equals + 1).trim())
      if (name === 'profile') profile = value
      if (name === 'q' && !Number.isNaN(Number(value))) quality = Number(value)
    }
    return { type: type.toLowerCase(), profile, quality }
  })
  return ranges
    .filter(({ type, quality }) => type !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality)
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1') : text
}

/** Types for which the response is the page: those of browsers, and of clients without a preference. */
const pageRange = /^(?:text\/html|application\/xhtml\+xml|\*\/\*|\*|text\/\*)$/

/**
 * The format that a request to a landing page prefers.
 * @returns undefined for the page itself, also if `Accept` names no known format
 */
export function chooseExport(accept: string | undefined): ExportName | undefined {
  for (const range of acceptedRanges(accept ?? '')) {
    if (pageRange.test(range.type)) return undefined
    const format = exportFormats.find(each => isMeant(each, range))
    if (format) return format.name
  }
  return undefined
}

function isMeant(format: ExportFormat, { type, profile }: AcceptedRange): boolean {
  if (format.mediaType !== type) return format.alsoAccepted?.includes(type) ?? false
  // A profile may be a list of addresses, separated by blanks.
  if (profile !== undefined)
    return format.profile !== undefined ? profile.split(/\s+/).includes(format.profile) : false
  return format.isDefault === true
}

/** The variants of a format at one address, between which `Accept` chooses: a file and its package, JSON and text. */
const variants: Partial<Record<ExportName, ExportName>> = {
  'ro-crate': 'ro-crate-zip',
  linkset: 'linkset-text',
}

/** The format in the path, or its variant if `Accept` prefers the media type of the variant. */
export function chooseVariant(name: ExportName, accept: string | undefined): ExportName {
  const other = variants[name]
  if (other === undefined) return name
  for (const { type } of acceptedRanges(accept ?? '')) {
    const format = exportFormats.find(each => each.mediaType === type && [name, other].includes(each.name))
    if (format) return format.name
    if (/^(?:\*|application)\/\*$/.test(type)) return name
  }
  return name
}
