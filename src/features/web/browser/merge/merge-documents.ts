import { type EditedContent, type FieldValues, fieldNames } from '../api/record-updates.js'
import { readJsonSchema } from '../api/records.js'
import { FormSchema } from '../form/form-schema.js'
import { JsonDocument } from '../form/json-document.js'
import { placeLabels } from '../form/place-labels.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { isSameJson, mergeJson } from './merge-json.js'
import { type Choice, mergedText, mergeTexts } from './merge-texts.js'

interface MergedDocument extends EditedContent {
  readonly language: 'JSON' | 'XML'
  /** Has the names of places. */
  readonly schema: { readonly id: string; readonly version: number } | undefined
}

/** A field or a place that both have changed in different ways, with both texts and that of before; undefined: there is none. */
export interface MergeConflict {
  readonly label: string
  readonly base: string | undefined
  readonly mine: string | undefined
  readonly theirs: string | undefined
}

interface MergeOf<T> {
  /** Names of the places that the others have changed; empty if that is not known. */
  readonly theirChanges: readonly string[]
  readonly conflicts: readonly MergeConflict[]
  /** The merged one. @param choices one for each conflict, in order */
  merged(choices: readonly Choice[]): T
}

export type ContentMerge = MergeOf<EditedContent>

/**
 * Merges two contents that were made from one: the fields of the record one by one, JSON by its members, XML and what is
 * no JSON by lines.
 * @param mine what was made from `base`
 */
export async function mergeContents(
  mine: EditedContent,
  base: MergedDocument,
  theirs: MergedDocument,
): Promise<ContentMerge> {
  const fields = mergeFields(mine.fields, base.fields, theirs.fields)
  const document = await mergeDocuments(mine.text, base, theirs)
  const count = fields.conflicts.length
  return {
    theirChanges: [...fields.theirChanges, ...document.theirChanges],
    conflicts: [...fields.conflicts, ...document.conflicts],
    merged: choices => ({
      fields: fields.merged(choices.slice(0, count)),
      text: document.merged(choices.slice(count)),
    }),
  }
}

function mergeFields(mine: FieldValues, base: FieldValues, theirs: FieldValues): MergeOf<FieldValues> {
  const names = fieldNames.filter(name => mine[name] !== theirs[name])
  const labelOf = (name: keyof FieldValues) => writingWords.newDocument.fields[name]
  const others = names.filter(name => mine[name] === base[name])
  const disputed = names.filter(name => mine[name] !== base[name] && theirs[name] !== base[name])
  return {
    theirChanges: others.map(labelOf),
    conflicts: disputed.map(name => {
      const values = { base: base[name], mine: mine[name], theirs: theirs[name] }
      return { label: labelOf(name), ...values }
    }),
    merged(choices) {
      const taken = [...others, ...disputed.filter((_, at) => choices[at] === 'theirs')]
      return { ...mine, ...Object.fromEntries(taken.map(name => [name, theirs[name]])) }
    },
  }
}

/**
 * Merges two texts that were made from one.
 * @param mine the text that was made from `base`
 */
async function mergeDocuments(
  mine: string,
  base: MergedDocument,
  theirs: MergedDocument,
): Promise<MergeOf<string>> {
  const parts = mergeTexts(mine, base.text, theirs.text)
  const conflicts = parts.flatMap(part => (part.kind === 'conflict' ? [part] : []))
  const json = base.language === 'JSON' ? mergeJson(mine, base.text, theirs.text) : undefined
  if (!json) {
    return {
      theirChanges: [],
      conflicts: conflicts.map((conflict, at) => ({ ...conflict, label: words.merge.place(at + 1) })),
      merged: choices => mergedText(parts, choices),
    }
  }
  const labelOf = await labelsOf(base.schema, theirs.text)
  return {
    theirChanges: [...new Set(json.theirChanges.map(labelOf))],
    conflicts: json.conflicts.map(({ path, ...texts }) => ({ ...texts, label: labelOf(path) })),
    merged(choices) {
      const byMembers = json.merged(choices)
      // By lines, spaces and line ends that either has changed stay, too.
      const byLines = conflicts.length === 0 ? mergedText(parts, []) : byMembers
      return isSameJson(byLines, byMembers) ? byLines : byMembers
    },
  }
}

/** Names of places. Without a schema that can be read they are those of the members. */
async function labelsOf(schema: MergedDocument['schema'], text: string) {
  const opened = JsonDocument.open(text)
  const document = opened instanceof JsonDocument ? opened : undefined
  try {
    const own = schema ? await readJsonSchema(schema.id, schema.version) : '{}'
    return placeLabels(new FormSchema(JSON.parse(own)), document)
  } catch {
    return placeLabels(new FormSchema({}), document)
  }
}
