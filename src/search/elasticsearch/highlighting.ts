import { malformedRequest } from '../../core/problem.js'
import { memberOfField, searchedField } from '../elasticsearch-queries/field-names.js'
import {
  readList,
  readMembers,
  readString,
  readWholeNumber,
  shown,
} from '../elasticsearch-queries/read-json.js'
import { matchesWildcard } from '../elasticsearch-queries/wildcard-pattern.js'
import { documentPrefix } from '../search-condition.js'
import type { Highlight, HighlightedPassage } from '../search-engine.js'

/** The highlighting of a request. */
export interface PlannedHighlight {
  /** For the engine. */
  readonly fields: true | readonly string[]
  /** Names of the request, some with asterisks, in its order. */
  readonly names: readonly string[]
  /** The texts before and after each hit. */
  readonly tags: readonly [before: string, after: string]
  /** Most passages of one field. */
  readonly passages: number
}

const mostFields = 200
/** Limits of a field name. Its characters and asterisks take time for each field of each hit. */
const longestName = 500
const mostAsterisks = 4
const usualPassages = 5
/** Longest tag, in characters. An answer repeats it for each hit of each passage. */
const longestTag = 200

/** Options that change the form of passages only; they have no effect. */
const withoutEffect = [
  'type',
  'encoder',
  'fragment_size',
  'fragmenter',
  'boundary_scanner',
  'no_match_size',
  'order',
  'require_field_match',
  'max_analyzed_offset',
  'tags_schema',
]
const options = ['pre_tags', 'post_tags', 'number_of_fragments', ...withoutEffect]

/** Reads the member `highlight` of a request; undefined if it has none. @throws ProblemError `malformed-request` */
export function readHighlight(value: unknown): PlannedHighlight | undefined {
  if (value === undefined || value === null) return undefined
  const members = readMembers(value, '[highlight]', ['fields', ...options])
  const sent = members.fields
  const list = Array.isArray(sent) ? readList(sent, '[fields] of [highlight]', mostFields) : [sent ?? {}]
  const named = list.flatMap(entry => Object.entries(readMembers(entry, '[fields] of [highlight]')))
  readList(named, '[fields] of [highlight]', mostFields)
  for (const [name, own] of named) readMembers(own, `[highlight] of [${name}]`, options)
  const names = named.map(([name]) => name)
  for (const name of names) {
    if (name.length <= longestName && name.split('*').length - 1 <= mostAsterisks) continue
    throw malformedRequest(
      `the field [${shown(name)}] of [highlight] has more than ${longestName} characters or ${mostAsterisks} asterisks`,
    )
  }
  const fields = names.map(name => (name.includes('*') ? undefined : searchedField(name)))
  const passages = members.number_of_fragments
  return {
    fields: fields.every(field => field !== undefined) ? fields : true,
    names,
    tags: [tagOf(members.pre_tags, '<em>'), tagOf(members.post_tags, '</em>')],
    passages:
      passages === undefined
        ? usualPassages
        : Math.max(1, readWholeNumber(passages, '[number_of_fragments] of [highlight]', 0, 100)),
  }
}

function tagOf(sent: unknown, absent: string): string {
  if (sent === undefined || sent === null) return absent
  const [first] = Array.isArray(sent) ? readList(sent, 'tags of [highlight]', 100) : [sent]
  const tag = first === undefined ? absent : readString(first, 'a tag of [highlight]')
  if (tag.length <= longestTag) return tag
  throw malformedRequest(`a tag of [highlight] has more than ${longestTag} characters`)
}

/**
 * Passages with tags around the hits, by the names of the request. The rest of a passage is escaped, because frontends
 * show passages as HTML.
 */
export function renderHighlights(
  highlights: readonly Highlight[],
  { names, tags, passages }: PlannedHighlight,
): Readonly<Record<string, readonly string[]>> | undefined {
  const found = highlights.flatMap(({ field, passages: all }) => {
    const asNamed = names.filter(name => isOf(name, field))
    const texts = all.slice(0, passages).map(passage => renderPassage(passage, tags))
    return asNamed.map(name => [name.includes('*') ? memberOfField(field) : name, texts] as const)
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

function isOf(name: string, field: string): boolean {
  if (name.includes('*')) return matchesWildcard(name, memberOfField(field))
  const named = searchedField(name)
  return named === field || named === undefined || (named === 'document' && field.startsWith(documentPrefix))
}

function renderPassage(
  { text, hits }: HighlightedPassage,
  [before, after]: readonly [string, string],
): string {
  let rendered = ''
  let at = 0
  for (const { start, end } of hits) {
    rendered += `${escaped(text.slice(at, start))}${before}${escaped(text.slice(start, end))}${after}`
    at = end
  }
  return rendered + escaped(text.slice(at))
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
