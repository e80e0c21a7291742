import { type AcceptedRange, acceptedRanges } from '../../../http/negotiation/content-negotiation.js'
import { type ExportFormat, type ExportName, exportFormats } from '../export-formats.js'

/*
 * Chooses an export format by `Accept` and its parameter `profile`: several formats share one media type.
 */

/** Types for which the response is the page: those of browsers, and of clients without a preference. */
const pageRange = /^(?:text\/html|application\/xhtml\+xml|\*\/\*|text\/\*)$/

/**
 * The export format that a request to a landing page prefers.
 * @returns undefined for the page itself, which is also the answer if `Accept` names no known format
 */
export function chooseExport(accept: string | undefined): ExportName | undefined {
  for (const range of acceptedRanges(accept)) {
    if (pageRange.test(range.type)) return undefined
    const format = exportFormats.find(each => matchesRange(each, range))
    if (format) return format.name
  }
  return undefined
}

function matchesRange(format: ExportFormat, { type, profile }: AcceptedRange): boolean {
  if (format.mediaType !== type) return format.alsoAccepted?.includes(type) ?? false
  // A profile may be a list of addresses, separated by blanks.
  const profiles = (profile ?? '').split(/\s+/).filter(each => each !== '' && !isFormOf(type, each))
  if (profiles.length === 0) return format.isDefault === true
  return format.profile !== undefined && profiles.includes(format.profile)
}

/**
 * Whether a profile names a form of JSON-LD: compacted, expanded or flattened. Clients of JSON-LD 1.1 send such profiles
 * for any vocabulary, and read every form.
 * @see https://www.w3.org/TR/json-ld11/#iana-considerations
 */
function isFormOf(type: string, profile: string): boolean {
  return type === 'application/ld+json' && /^https?:\/\/www\.w3\.org\/ns\/json-ld#/.test(profile)
}

/** The second format of an address, such as a package with files next to a text. `Accept` chooses it. */
const variants: Partial<Record<ExportName, ExportName>> = {
  'ro-crate': 'ro-crate-zip',
  linkset: 'linkset-text',
}

/** The format in the path, or its variant if `Accept` prefers the media type of the variant. */
export function chooseVariant(name: ExportName, accept: string | undefined): ExportName {
  const other = variants[name]
  if (other === undefined) return name
  for (const { type } of acceptedRanges(accept)) {
    const format = exportFormats.find(each => each.mediaType === type && [name, other].includes(each.name))
    if (format) return format.name
    if (/^(?:\*|application)\/\*$/.test(type)) return name
  }
  return name
}
