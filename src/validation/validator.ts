import type { MetricsRecorder } from '../core/metrics-recorder.js'
import type { Finding } from '../core/problem.js'
import type { DocumentType } from '../core/records/collection.js'
import type { XmlEngineName } from './xml/xsd-engine.js'

/** A schema document with everything it may refer to. Nothing else is ever read from disk or network. */
export interface SchemaBundle {
  /** Hash of the documents and files, by which compiled schemas are cached. */
  readonly key: string
  /** Id of the schema, which says who may read it. Schemas with the same content have the same key. */
  readonly id?: string
  readonly type: DocumentType
  readonly document: Uint8Array
  /** The schema's own further files by path relative to the document. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Registered schemas by the reference without its fragment: a URL or a schema id. */
  readonly registered: ReadonlyMap<string, SchemaBundle>
}

/** A reference in a schema document or one of its files: `$ref`, `$dynamicRef`, `xs:include`, `xs:import`… */
export interface FileReference {
  /** The reference as written, without its fragment. */
  readonly target: string
  /** The path relative to the schema document, for a relative reference that stays in the folder of the document. */
  readonly path?: string
  /** The namespace of an `xs:import`, empty for none; undefined for other references. */
  readonly namespace?: string
  /** The file with the reference; undefined for the document. */
  readonly file?: string
  readonly line?: number
  /** JSON Pointer of the reference; undefined for XML. */
  readonly pointer?: string
}

export interface References {
  /** The given files that the document reaches. */
  readonly used: ReadonlySet<string>
  /** References to targets that are not among the files, one for each target. */
  readonly missing: readonly FileReference[]
}

/** The client of a call, for scheduling. */
export interface Work {
  /**
   * Key of the client: clients take turns with the workers. Empty for this process itself: a push, the command line.
   */
  readonly client: string
  /** Whether nothing will be stored. Updates go before dry runs. */
  readonly isDryRun?: boolean
  /** If it aborts while the call waits for a worker, the call is rejected. */
  readonly signal?: AbortSignal
}

/** Work of this process. */
export const ownWork: Work = { client: '' }

/**
 * Checks schemas and documents in worker processes with limits on time and memory. An empty list of findings means
 * valid. A call that exceeds a limit returns a finding that says so.
 */
export interface Validator {
  /**
   * Follows the references of a schema document through the given files.
   * @throws ProblemError `unprocessable` with findings if the document or a reached file cannot be parsed
   */
  references(
    type: DocumentType,
    document: Uint8Array,
    files: ReadonlyMap<string, Uint8Array>,
    work?: Work,
  ): Promise<References>
  /** Checks that the bundle compiles as a schema. */
  check(bundle: SchemaBundle, work?: Work): Promise<readonly Finding[]>
  /** Checks that the document is well-formed in the schema's language and valid against the schema. */
  validate(bundle: SchemaBundle, document: Uint8Array, work?: Work): Promise<readonly Finding[]>
  /** Name of the library that judges documents of a schema language. */
  engineOf(type: DocumentType): string
  /** Starts a worker, so that the first call does not wait for it. */
  prepare(): void
  /** Number of running calls and of worker processes. */
  figures(): { readonly validations: number; readonly workers: number }
  close(): Promise<void>
}

export interface ValidatorOptions {
  readonly xmlEngine?: XmlEngineName
  /**
   * Limit of the worker processes for quick checks, for each XML engine; default: the number of cores. Slow checks have
   * worker processes of their own: one less, but at least 1.
   */
  readonly workers?: number
  /** Milliseconds without a call after which worker processes end; default 10 minutes. */
  readonly idleTime?: number
  /** Limit in milliseconds of the processor time of a call; default 10,000. */
  readonly timeLimit?: number
  /** Limit in mebibytes of the heap, and of the WebAssembly memory, of a worker; default 256. */
  readonly memoryLimit?: number
  /** Limit of the levels of arrays and objects in a JSON document or schema; default 512, which is the maximum. */
  readonly depthLimit?: number
  readonly observer?: Pick<MetricsRecorder, 'validated'> | undefined
}
