import type { Revision } from '../../../core/records/revision.js'
import { documentPrefix, type SearchCondition } from '../search-condition.js'
import type { Highlight, HighlightedPassage, SearchRequest } from '../search-engine.js'
import { documentValues } from '../values/document-values.js'
import { type FoundWord, mayHaveWords, wordsIn } from '../values/fold-words.js'
import { recordValues } from '../values/record-values.js'
import { type WordRun, wordRuns } from './match-expression.js'

/** Length of a passage, in UTF-16 units. */
const passageLength = 160
/** Limit of the passages of a field. */
const maxPassages = 3
/** Limit of the fields of a hit that have passages. */
const maxFields = 20
/** Limit of the characters of a document that are searched. */
const maxTextLength = 2 ** 20
/** Limit of the different {@link WordRun}s that one text is compared with. */
const maxRuns = 100

/** Words to highlight, and where. */
interface Wanted {
  readonly runs: readonly WordRun[]
  /** A field in lower case; undefined: anywhere. */
  readonly field: string | undefined
}

/** Finds the passages of a record and its document in which words of a query stand. */
export function highlightsOf(
  revision: Revision,
  document: Uint8Array | undefined,
  { condition, highlight }: Pick<SearchRequest, 'condition' | 'highlight'>,
): readonly Highlight[] {
  const wanted = highlight === false ? [] : withEachRunOnce(wantedWords(condition))
  if (highlight === false || wanted.length === 0) return []
  const runsByField = new Map<string, readonly WordRun[]>()
  const shown = highlight === true ? undefined : highlight.map(name => name.toLowerCase())
  const found = new Map<string, { readonly passage: HighlightedPassage; readonly runs: number }[]>()
  for (const { field, text } of valuesOf(revision, document)) {
    const name = field.toLowerCase()
    if (shown && !shown.some(pattern => isField(pattern, name))) continue
    const runs = runsByField.get(name) ?? runsIn(name, wanted)
    runsByField.set(name, runs)
    if (runs.length === 0) continue
    const passage = passageOf(text, runs)
    if (!passage) continue
    const known = found.get(field) ?? []
    if (known.length === 0 && found.size >= maxFields) continue
    found.set(field, [...known, passage].sort((a, b) => b.runs - a.runs).slice(0, maxPassages))
  }
  return [...found].map(([field, passages]) => ({ field, passages: passages.map(({ passage }) => passage) }))
}

function* valuesOf({ kind, record, documentType }: Revision, document: Uint8Array | undefined) {
  // Values without a field of their own, such as contributors, are shown as `record`.
  for (const { field = 'record', text } of recordValues(kind, record, documentType)) yield { field, text }
  if (!document) return
  for (const { path, text } of documentValues(document, documentType, maxTextLength))
    yield { field: documentPrefix + path, text }
}

/** The words of a condition that hits contain, so without those of `not`. */
function wantedWords(condition: SearchCondition): readonly Wanted[] {
  if (condition.type === 'and' || condition.type === 'or') return condition.conditions.flatMap(wantedWords)
  if (condition.type !== 'text') return []
  const runs = wordRuns(condition.text, condition.match)
  if (!condition.fields) return [{ runs, field: undefined }]
  return condition.fields.map(({ field }) => ({ runs, field: field.toLowerCase() }))
}

/** Makes equal runs of several conditions one object, so that a run counts once. */
function withEachRunOnce(wanted: readonly Wanted[]): readonly Wanted[] {
  const known = new Map<string, WordRun>()
  const once = (run: WordRun) => {
    const key = run.words.join(' ') + (run.isBeginning ? '*' : '')
    const first = known.get(key) ?? run
    known.set(key, first)
    return first
  }
  return wanted.map(({ runs, field }) => ({ runs: runs.map(once), field }))
}

function runsIn(name: string, wanted: readonly Wanted[]): readonly WordRun[] {
  const runs = new Set<WordRun>()
  for (const each of wanted) {
    if (each.field !== undefined && !isField(each.field, name)) continue
    for (const run of each.runs) runs.add(run)
    if (runs.size >= maxRuns) break
  }
  return [...runs].slice(0, maxRuns)
}

/** Whether a pattern names a field: `document`, `record`, `document.*.name`, `document.a.*`, or the field itself. */
function isField(pattern: string, field: string): boolean {
  if (pattern === field) return true
  if (pattern === 'document') return field.startsWith(documentPrefix)
  if (pattern === 'record') return !field.startsWith(documentPrefix)
  if (pattern.startsWith(`${documentPrefix}*.`)) {
    const end = pattern.slice(documentPrefix.length + 2)
    return field.startsWith(documentPrefix) && (field.endsWith(`.${end}`) || field === documentPrefix + end)
  }
  return pattern.endsWith('*') && field.startsWith(pattern.slice(0, -1))
}

interface Hit {
  readonly start: number
  readonly end: number
  /** The number of the run that was found. */
  readonly run: number
}

/** The passage of a text with the largest number of different runs; undefined for a text without any. */
function passageOf(text: string, runs: readonly WordRun[]) {
  if (!runs.some(({ words }) => mayHaveWords(text, words))) return undefined
  const hits = hitsIn([...wordsIn(text)], runs)
  if (hits.length === 0) return undefined
  let best = { at: 0, runs: 0 }
  for (let index = 0; index < hits.length; index++) {
    const end = (hits[index]?.start ?? 0) + passageLength - passageLength / 4
    const seen = new Set<number>()
    for (let other = index; (hits[other]?.end ?? Number.POSITIVE_INFINITY) <= end; other++)
      seen.add(hits[other]?.run ?? 0)
    if (seen.size > best.runs) best = { at: index, runs: seen.size }
  }
  const first = hits[best.at]?.start ?? 0
  const [start, end] = boundsOf(text, first)
  const inside = hits.filter(hit => hit.start >= start && hit.end <= end)
  const passage: HighlightedPassage = {
    text: text.slice(start, end),
    hits: inside.map(hit => ({ start: hit.start - start, end: hit.end - start })),
  }
  return { passage, runs: new Set(inside.map(({ run }) => run)).size }
}

/** The bounds of a passage that begins a little before a hit. Words are not cut, unless they are very long. */
function boundsOf(text: string, hit: number): readonly [start: number, end: number] {
  if (text.length <= passageLength) return [0, text.length]
  let start = Math.max(0, Math.min(hit - passageLength / 4, text.length - passageLength))
  const blank = start === 0 ? -1 : text.indexOf(' ', start)
  if (blank >= 0 && blank < hit) start = blank + 1
  let end = Math.min(text.length, start + passageLength)
  const last = end === text.length ? -1 : text.lastIndexOf(' ', end)
  if (last > hit) end = last
  return [outOfSurrogatePair(text, start), outOfSurrogatePair(text, end)]
}

/** Moves a place in the middle of a surrogate pair to the beginning of the pair. */
function outOfSurrogatePair(text: string, offset: number): number {
  const code = text.charCodeAt(offset)
  return code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset
}

/** Limit of the hits of a text. */
const maxHits = 200

/** Hits in order, not overlapping. */
function hitsIn(words: readonly FoundWord[], runs: readonly WordRun[]): readonly Hit[] {
  const hits: Hit[] = []
  for (let offset = 0; offset < words.length && hits.length < maxHits; ) {
    let longest = 0
    let found = 0
    for (const [run, { words: wanted, isBeginning }] of runs.entries()) {
      if (wanted.length <= longest) continue
      const isHere = wanted.every((word, place) => {
        const here = words[offset + place]?.word
        return isBeginning && place === wanted.length - 1 ? here?.startsWith(word) : here === word
      })
      if (isHere) [longest, found] = [wanted.length, run]
    }
    const [first, last] = [words[offset], words[offset + longest - 1]]
    if (longest > 0 && first && last) hits.push({ start: first.start, end: last.end, run: found })
    offset += Math.max(1, longest)
  }
  return hits
}
