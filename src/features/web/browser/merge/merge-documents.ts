import { readJsonSchema } from '../api/records.js'
import { FormSchema } from '../form/form-schema.js'
import { JsonDocument } from '../form/json-document.js'
import { placeLabels } from '../form/place-labels.js'
import { words } from '../words.js'
import { isSameJson, mergeJson } from './merge-json.js'
import { type Choice, mergedText, mergeTexts } from './merge-texts.js'

interface MergedDocument {
  readonly text: string
  readonly language: 'JSON' | 'XML'
  /** Has the names of places. */
  readonly schema: { readonly id: string; readonly version: number } | undefined
}

/** A place that both have changed in different ways, with both texts and that of before; undefined: there is none. */
export interface MergeConflict {
  readonly label: string
  readonly base: string | undefined
  readonly mine: string | undefined
  readonly theirs: string | undefined
}

export interface DocumentMerge {
  /** Names of the places that the others have changed; empty if that is not known. */
  readonly theirChanges: readonly string[]
  readonly conflicts: readonly MergeConflict[]
  /** The merged text. @param choices one for each conflict, in order */
  merged(choices: readonly Choice[]): string
}

/**
 * Merges two texts that were made from one: JSON by its members, XML and what is no JSON by lines.
 * @param mine the text that was made from `base`
 */
export async function mergeDocuments(
  mine: string,
  base: MergedDocument,
  theirs: MergedDocument,
): Promise<DocumentMerge> {
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
