import { createTwoFilesPatch } from 'diff/lib/patch/create.js'
import type { Json } from '../../../core/json/try-parse.js'
import { parseWrittenJson, type WrittenJson, writeJson } from '../../../core/json/written-number.js'
import { tooLarge } from '../../../core/problem.js'
import type { DocumentType } from '../../../core/records/collection.js'
import { decodeUtf8Lossless } from '../../../store/objects/tree-format.js'
import { parseJsonDocument } from '../../../validation/json/document-parser.js'
import { decodeXml } from '../../../validation/xml/source-text.js'
import { type BlamedPart, openBlameTracker } from '../documents/blame.js'
import { type NodeFactory, openNodeFactory, type TreeNode } from '../documents/document-tree.js'
import { compareJson, jsonTree, toJsonPatch } from '../documents/json-diff.js'
import { compareJsonSchemas } from '../documents/json-schema-diff.js'
import { type Compatibility, overallCompatibility } from '../documents/schema-compatibility.js'
import { compareXml } from '../documents/xml-diff.js'
import { xmlTree } from '../documents/xml-tree-parser.js'
import { compareXmlSchemas } from '../documents/xsd-diff.js'

/*
 * Comparisons as a child process runs them. Input is bytes, output is one text.
 */

/** A comparison. The pair `sides` holds what is compared, before and after a change. */
export type Comparison =
  | {
      readonly kind: 'difference'
      /** The records as JSON texts. */
      readonly record: Sides<string>
      /** The two documents; undefined if they are the same, or of different languages. */
      readonly document?: { readonly type: DocumentType; readonly isSchema: boolean; readonly sides: Sides }
    }
  | { readonly kind: 'patch'; readonly sides: Sides }
  | { readonly kind: 'blame'; readonly type: DocumentType; readonly states: readonly Uint8Array[] }
  | { readonly kind: 'text'; readonly files: readonly ChangedFile[]; readonly patience: number }

export type Sides<T = Uint8Array> = readonly [before: T, after: T]

/** A file of which one side may be missing. */
export interface ChangedFile {
  readonly path: string
  readonly before?: Uint8Array
  readonly after?: Uint8Array
}

/** Exit code of the child process if its output is a problem: kind and message as JSON. */
export const problemExitCode = 3

/** Limits of a result. */
const resultLimits = {
  /** Parts of the document, which blame lists. */
  parts: 50_000,
  /** Characters of all paths together: one path can be as long as the document. */
  pathCharacters: 8 * 1024 * 1024,
}

/**
 * Runs a comparison.
 * @returns
 * - `difference`: three lines: the changes of the record as JSON, the changes of the document as JSON, and the worst
 *   effect of the latter. Without a document the last two lines are empty;
 * - `patch`: a JSON Patch;
 * - `blame`: JSON of {@link BlameResult};
 * - `text`: a unified diff, for machines without a git binary
 * @throws ProblemError `too-large`
 */
export function runComparison(comparison: Comparison): string {
  switch (comparison.kind) {
    case 'difference': {
      const { record, document } = comparison
      const [before, after] = record.map(text => JSON.parse(text) as Json) as [Json, Json]
      const ofRecord = JSON.stringify(withinPathLimit(compareJson(before, after)))
      return `${ofRecord}\n${document ? documentLines(document) : '\n'}`
    }
    case 'patch': {
      const [before, after] = comparison.sides.map(parseJson) as [WrittenJson, WrittenJson]
      return writeJson(toJsonPatch(withinPathLimit(compareJson(before, after))))
    }
    case 'blame':
      return JSON.stringify(blameOf(comparison))
    default: {
      const { files, patience } = comparison
      return files.map(file => textPatch(file, patience)).join('')
    }
  }
}

function documentLines({
  type,
  isSchema,
  sides,
}: NonNullable<Extract<Comparison, { kind: 'difference' }>['document']>): string {
  const changes = withinPathLimit(changesOf(type, isSchema, sides))
  const effect: Compatibility = overallCompatibility(
    changes.map(({ effect = 'neutral' }: { readonly effect?: Compatibility }) => ({ effect })),
  )
  return `${writeJson(changes)}\n${effect}`
}

function changesOf(
  type: DocumentType,
  isSchema: boolean,
  [before, after]: Sides,
): readonly { readonly path: string; readonly effect?: Compatibility }[] {
  if (type === 'JSON')
    return (isSchema ? compareJsonSchemas : compareJson)(parseJson(before), parseJson(after))
  return (isSchema ? compareXmlSchemas : compareXml)(decodeXml(before), decodeXml(after))
}

/** For each part of a document, which of the compared documents changed the part last. */
export interface BlameResult {
  readonly blamed: readonly BlamedPart[]
  /** Whether some part is the same in all compared documents: an earlier one may have changed it last. */
  readonly open: boolean
}

function blameOf({ type, states: [newest, ...former] }: Extract<Comparison, { kind: 'blame' }>): BlameResult {
  if (!newest) throw new Error('A revision has no document.')
  const nodes = openNodeFactory()
  const trace = openBlameTracker(treeOf(nodes, type, newest))
  if (trace.open > resultLimits.parts) {
    throw tooLarge(`The document has ${trace.open} parts; blame lists at most ${resultLimits.parts}.`)
  }
  for (const state of former) {
    if (trace.open === 0) break
    trace.back(treeOf(nodes, type, state))
  }
  return { blamed: withinPathLimit(trace.blamed()), open: trace.open > 0 }
}

function treeOf(nodes: NodeFactory, type: DocumentType, bytes: Uint8Array): TreeNode {
  return type === 'JSON' ? jsonTree(nodes, parseJson(bytes)) : xmlTree(nodes, decodeXml(bytes))
}

function parseJson(bytes: Uint8Array): WrittenJson {
  return parseJsonDocument(bytes, undefined, text => parseWrittenJson(text))
}

/** Returns the parts unless their paths are too long in total. @throws ProblemError `too-large` */
function withinPathLimit<T extends { readonly path: string }>(parts: readonly T[]): readonly T[] {
  const length = parts.reduce((sum, { path }) => sum + path.length, 0)
  if (length <= resultLimits.pathCharacters) return parts
  throw tooLarge(
    `The paths of ${parts.length} parts have ${length} characters; the limit is ${resultLimits.pathCharacters}. The document is nested ` +
      'too deeply, or its members have very long names. Ask diff for text/x-diff, or clone the repository.',
  )
}

/** A diff of one file. @param patience time limit in milliseconds */
function textPatch({ path, before, after }: ChangedFile, patience: number): string {
  const head = `diff --git a/${path} b/${path}\n`
  const names = [before ? `a/${path}` : '/dev/null', after ? `b/${path}` : '/dev/null'] as const
  if (isBinary(before) || isBinary(after)) return `${head}Binary files ${names.join(' and ')} differ\n`
  const [old, now] = [before, after].map(bytes => decodeUtf8Lossless(Buffer.from(bytes ?? [])))
  const options = { context: 3, timeout: patience } as const
  const patch = createTwoFilesPatch(...names, old as string, now as string, undefined, undefined, options)
  if (patch === undefined) return `${head}Files ${names.join(' and ')} differ too much to compare\n`
  return head + patch.replace(/^=+\n/, '')
}

/** Whether git would guess that a file is binary: it has a zero among its first 8,000 bytes. */
function isBinary(bytes: Uint8Array | undefined): boolean {
  return bytes?.subarray(0, 8000).includes(0) ?? false
}
