import { malformedRequest } from '../../../core/problem.js'
import { documentPrefix } from '../../search/search-condition.js'
import type { Highlight, HighlightedPassage } from '../../search/search-engine.js'
import { memberOfField, recordText, searchedField } from '../queries/field-names.js'
import {
  type JsonMembers,
  readList,
  readMembers,
  readString,
  readWholeNumber,
  requireMeaning,
  shortenedName,
} from '../queries/read-json.js'
import { matchesWildcard } from '../queries/wildcard-pattern.js'

/** The highlighting of a request. */
export interface PlannedHighlight {
  /** The fields that the engine highlights; `true`: all fields. */
  readonly fields: true | readonly string[]
  /** The field names of the request in their order, some of them with asterisks. */
  readonly names: readonly string[]
  readonly form: PassageForm
  /** The forms of fields with options of their own, by their names in the request. */
  readonly ownForms: ReadonlyMap<string, PassageForm>
}

/** How the passages of a field are written. */
interface PassageForm {
  /** The texts before and after each hit. */
  readonly tags: readonly [before: string, after: string]
  /** Limit of the passages. */
  readonly passages: number
}

const maxFields = 200
/** Limits of a field name. Its characters and asterisks take time for each field of each hit. */
const maxNameLength = 500
const maxAsterisks = 4
const defaultPassages = 5
/** Limit of the characters of a tag. An answer repeats it for each hit of each passage. */
const maxTagLength = 200

/** Options that change the form of passages only; they have no effect. */
const withoutEffect = [
  'type',
  'encoder',
  'fragment_size',
  'fragmenter',
  'boundary_scanner',
  'no_match_size',
  'order',
  'max_analyzed_offset',
  'tags_schema',
]
const options = ['pre_tags', 'post_tags', 'number_of_fragments', 'require_field_match', ...withoutEffect]

/** Reads the member `highlight` of a request; undefined if it has none. @throws ProblemError `malformed-request` */
export function readHighlight(value: unknown): PlannedHighlight | undefined {
  if (value === undefined || value === null) return undefined
  const members = readMembers(value, '[highlight]', ['fields', ...options])
  const sent = members.fields
  const list = Array.isArray(sent) ? readList(sent, '[fields] of [highlight]', maxFields) : [sent ?? {}]
  const named = list.flatMap(entry => Object.entries(readMembers(entry, '[fields] of [highlight]')))
  readList(named, '[fields] of [highlight]', maxFields)
  const ofFields = named.map(([name, own]) => readMembers(own, `[highlight] of [${name}]`, options))
  for (const { require_field_match } of [members, ...ofFields])
    requireMeaning(require_field_match, '[require_field_match] of [highlight]', ['true'])
  const names = named.map(([name]) => name)
  for (const name of names) {
    if (name.length <= maxNameLength && name.split('*').length - 1 <= maxAsterisks) continue
    throw malformedRequest(
      `the field [${shortenedName(name)}] of [highlight] has more than ${maxNameLength} characters or ${maxAsterisks} asterisks`,
    )
  }
  const fields = names.map(name => (name.includes('*') ? undefined : searchedField(name)))
  return {
    fields: fields.every(field => field !== undefined) ? fields : true,
    names,
    form: formOf(members),
    ownForms: new Map(
      names.flatMap((name, index) => {
        const own = ofFields[index] ?? {}
        return Object.keys(own).length === 0 ? [] : [[name, formOf({ ...members, ...own })] as const]
      }),
    ),
  }
}

/** The form of the passages that the options ask for. @param options of a field, which override those of all fields */
function formOf({ pre_tags, post_tags, number_of_fragments: passages }: JsonMembers): PassageForm {
  return {
    tags: [tagOf(pre_tags, '<em>'), tagOf(post_tags, '</em>')],
    passages:
      passages === undefined
        ? defaultPassages
        : Math.max(1, readWholeNumber(passages, '[number_of_fragments] of [highlight]', 0, 100)),
  }
}

function tagOf(sent: unknown, absent: string): string {
  if (sent === undefined || sent === null) return absent
  const [first] = Array.isArray(sent) ? readList(sent, 'tags of [highlight]', 100) : [sent]
  const tag = first === undefined ? absent : readString(first, 'a tag of [highlight]')
  if (tag.length <= maxTagLength) return tag
  throw malformedRequest(`a tag of [highlight] has more than ${maxTagLength} characters`)
}

/**
 * Passages with tags around the hits, by the field names of the request; undefined without passages. All other text is
 * escaped, because frontends show passages as HTML.
 */
export function renderHighlights(
  highlights: readonly Highlight[],
  { names, form, ownForms }: PlannedHighlight,
): Readonly<Record<string, readonly string[]>> | undefined {
  const found = highlights.flatMap(({ field, passages: all }) => {
    const asNamed = names.filter(name => namesField(name, field))
    return asNamed.map(name => {
      const { tags, passages } = ownForms.get(name) ?? form
      const texts = all.slice(0, passages).map(passage => renderPassage(passage, tags))
      return [name.includes('*') ? memberOfField(field) : name, texts] as const
    })
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

function namesField(name: string, field: string): boolean {
  if (name.includes('*')) return matchesWildcard(name, memberOfField(field))
  const named = searchedField(name)
  if (named === field || named === undefined) return true
  const isOfDocument = field.startsWith(documentPrefix)
  return isOfDocument ? named === 'document' : named === recordText
}

function renderPassage(
  { text, hits }: HighlightedPassage,
  [before, after]: readonly [string, string],
): string {
  let rendered = ''
  let offset = 0
  for (const { start, end } of hits) {
    rendered += `${escaped(text.slice(offset, start))}${before}${escaped(text.slice(start, end))}${after}`
    offset = end
  }
  return rendered + escaped(text.slice(offset))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? character)
}
