import type { MetricsRecorder } from '../core/metrics-recorder.js'
import type { Finding } from '../core/problem.js'
import type { DocumentType } from '../core/records/collection.js'
import type { XmlEngineName } from './xml/xsd-engine.js'

/** A schema document with everything it may refer to; nothing else is ever read, from disk or network. */
export interface SchemaBundle {
  /** Hash of everything below: equal keys, equal bundles. Compiled validators are cached by it. */
  readonly key: string
  readonly type: DocumentType
  readonly document: Uint8Array
  /** The schema's own further files by path relative to the document. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Registered schemas by the reference as written, without its fragment: an URL or a schema id. */
  readonly registered: ReadonlyMap<string, SchemaBundle>
}

/** A reference from a schema document or one of its files: `$ref` and its kin, `xs:include`, `xs:import`, `xs:redefine`. */
export interface Reference {
  /** As written, without its fragment. */
  readonly target: string
  /** The path it means relative to the schema document, where it is a relative one that stays below it. */
  readonly path?: string
  /** The file that refers; undefined is the document itself. */
  readonly file?: string
  readonly line?: number
}

export interface References {
  /** Those of the given files that the document reaches. */
  readonly used: ReadonlySet<string>
  /** What it refers to that is not among the files, each target once. */
  readonly missing: readonly Reference[]
}

/** For whom work is done, which decides when it is done. */
export interface Work {
  /** Clients take turns with the workers. Empty: this process itself, for a push or the command line. */
  readonly client: string
  /** Nothing is stored, whatever comes of it. Updates go first. */
  readonly isDryRun?: boolean
  /** Ends work that waits for a worker. The call is rejected. */
  readonly signal?: AbortSignal
}

/** Work of this process itself. */
export const ownWork: Work = { client: '' }

/**
 * Verdicts about schemas and documents, worked out off the event loop with limits on time and memory. An empty list
 * of findings is a good verdict. A call that exceeds a limit gives a finding that says so.
 */
export interface Validator {
  /**
   * Follows the references of a schema document through the given files.
   * @throws ProblemError `unprocessable` with findings where the document or a reached file cannot be parsed
   */
  references(
    type: DocumentType,
    document: Uint8Array,
    files: ReadonlyMap<string, Uint8Array>,
    work?: Work,
  ): Promise<References>
  /** Says whether the bundle compiles as a schema. */
  check(bundle: SchemaBundle, work?: Work): Promise<readonly Finding[]>
  /** Says whether the document is well-formed in the schema's language and valid against it. */
  validate(bundle: SchemaBundle, document: Uint8Array, work?: Work): Promise<readonly Finding[]>
  /** Calls that are not answered yet, and worker processes there are. */
  figures(): { readonly validations: number; readonly workers: number }
  close(): Promise<void>
}

export interface ValidatorOptions {
  readonly xmlEngine?: XmlEngineName
  /** Worker processes for quick checks, and as many at most for slow ones; default: the number of cores, at least 1. */
  readonly workers?: number
  /** Milliseconds of processor time one call may take; default 10,000. */
  readonly timeLimit?: number
  /** Mebibytes of heap, and of WebAssembly memory, a worker may use; default 256. */
  readonly memoryLimit?: number
  /** Levels of arrays and objects a JSON document or schema may have; default 512, which is the most there can be. */
  readonly depthLimit?: number
  readonly observer?: Pick<MetricsRecorder, 'validated'> | undefined
}
