import { createTwoFilesPatch } from 'diff/lib/patch/create.js'
import type { Json } from '../../core/json/json-value.js'
import { ProblemError } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import { type BlamedPart, openTrace } from '../../difference/blame.js'
import { type NodeFactory, openForest, type TreeNode } from '../../difference/document-tree.js'
import { compareJson, jsonTree, toJsonPatch } from '../../difference/json-diff.js'
import { compareJsonSchemas } from '../../difference/json-schema-diff.js'
import { type Compatibility, overallCompatibility } from '../../difference/schema-compatibility.js'
import { compareXml } from '../../difference/xml-diff.js'
import { xmlTree } from '../../difference/xml-tree-parser.js'
import { compareXmlSchemas } from '../../difference/xsd-diff.js'
import { decodeUtf8Lossless } from '../../store/objects/commit-and-tree-parser.js'
import { parseJsonDocument } from '../../validation/json/document-parser.js'
import { decodeXml } from '../../validation/xml/source-text.js'

/*
 * Comparisons as a child process carries them out: bytes in, one text out.
 */

/** A comparison. Two sides are the bytes before and after. */
export type Comparison =
  | {
      readonly kind: 'difference'
      /** The records as JSON texts. */
      readonly record: Sides<string>
      /** Undefined: the documents are the same, or cannot be compared. */
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

/** Exit code of the child process whose output is the kind and the message of a problem, as JSON. */
export const exitOfProblem = 3

/** The most an answer has. */
const most = {
  /** Parts of the document. */
  parts: 50_000,
  /** Characters of the names of all places: one name may be as long as the document. */
  names: 8 * 1024 * 1024,
}

/**
 * Carries out a comparison.
 * @returns
 * - `difference`: three lines: the changes of the record and those of the document as JSON, and the worst effect of the
 *   latter; the last two are empty where there is no document;
 * - `patch`: a JSON Patch;
 * - `blame`: JSON of {@link BlameResult};
 * - `text`: unified text, for machines without a git binary
 * @throws ProblemError `too-large`
 */
export function carryOut(comparison: Comparison): string {
  switch (comparison.kind) {
    case 'difference': {
      const { record, document } = comparison
      const [before, after] = record.map(text => JSON.parse(text) as Json) as [Json, Json]
      const ofRecord = JSON.stringify(tellable(compareJson(before, after)))
      return `${ofRecord}\n${document ? documentLines(document) : '\n'}`
    }
    case 'patch': {
      const [before, after] = comparison.sides.map(bytes => parseJsonDocument(bytes)) as [Json, Json]
      return JSON.stringify(toJsonPatch(tellable(compareJson(before, after))))
    }
    case 'blame':
      return JSON.stringify(trace(comparison))
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
  const changes = tellable(changesOf(type, isSchema, sides))
  const effect: Compatibility = overallCompatibility(
    changes.map(({ effect = 'neutral' }: { readonly effect?: Compatibility }) => ({ effect })),
  )
  return `${JSON.stringify(changes)}\n${effect}`
}

function changesOf(
  type: DocumentType,
  isSchema: boolean,
  [before, after]: Sides,
): readonly { readonly path: string; readonly effect?: Compatibility }[] {
  if (type === 'JSON')
    return (isSchema ? compareJsonSchemas : compareJson)(parseJsonDocument(before), parseJsonDocument(after))
  return (isSchema ? compareXmlSchemas : compareXml)(decodeXml(before), decodeXml(after))
}

/** Which states changed the parts of a document last. */
export interface BlameResult {
  readonly blamed: readonly BlamedPart[]
  /** The states before those that were given could be to blame too. */
  readonly open: boolean
}

function trace({ type, states: [newest, ...former] }: Extract<Comparison, { kind: 'blame' }>): BlameResult {
  if (!newest) throw new Error('A revision has no document.')
  const plant = openForest()
  const trace = openTrace(treeOf(plant, type, newest))
  if (trace.open > most.parts) {
    throw new ProblemError(
      'too-large',
      `The document has ${trace.open} parts, and each of up to ${most.parts} is told of.`,
    )
  }
  for (const state of former) {
    if (trace.open === 0) break
    trace.back(treeOf(plant, type, state))
  }
  return { blamed: tellable(trace.blamed()), open: trace.open > 0 }
}

function treeOf(plant: NodeFactory, type: DocumentType, bytes: Uint8Array): TreeNode {
  return type === 'JSON' ? jsonTree(plant, parseJsonDocument(bytes)) : xmlTree(plant, decodeXml(bytes))
}

/** @throws ProblemError `too-large` */
function tellable<T extends { readonly path: string }>(places: readonly T[]): readonly T[] {
  const length = places.reduce((sum, { path }) => sum + path.length, 0)
  if (length <= most.names) return places
  throw new ProblemError(
    'too-large',
    `The names of the ${places.length} places to tell of have ${length} characters, and up to ${most.names} are told: ` +
      'the document is nested too deeply, or its members have very long names. Ask diff for text/x-diff, or clone the repository.',
  )
}

/** @param patience milliseconds */
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

/** Git's own guess: a zero among the first 8,000 bytes. */
function isBinary(bytes: Uint8Array | undefined): boolean {
  return bytes?.subarray(0, 8000).includes(0) ?? false
}
