import { type Finding, ProblemError } from '../../core/problem.js'

export type XmlEngineName = 'libxml2-wasm' | 'libxmljs2'

/** A file of a schema for a parser. It has no DOCTYPE, and every location in it is the `name` of another part. */
export interface XmlPart {
  /** A name such as `3.xsd`; the document is the first part. */
  readonly name: string
  readonly text: string
  /** Path of the file for findings; undefined for the document. */
  readonly file?: string
}

/** A compiled schema. */
export interface XmlSchema {
  /** Findings about the document; empty if it is well-formed, without DOCTYPE, and valid. */
  validate(document: Uint8Array): readonly Finding[]
  dispose(): void
}

/**
 * An XML library. Engines open only the given parts: no other file, no network, no external entity, no XInclude.
 */
export interface XmlEngine {
  /** Compiles the parts. @throws ProblemError `unprocessable` if they are not well-formed or no XSD 1.0 schema */
  compile(parts: readonly XmlPart[]): XmlSchema
  /** Checks the syntax of a part. @throws ProblemError `unprocessable` if the part is not well-formed */
  parse(part: XmlPart): void
}

/**
 * Checks that the optional package libxmljs2 is installed, without loading it.
 * @throws ProblemError `unusable-repository` if libxmljs2 is not installed
 */
export function requireLibxmljs2(): void {
  try {
    import.meta.resolve('libxmljs2')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw unusableLibxmljs2('it is not installed')
  }
}

export function unusableLibxmljs2(reason: string): ProblemError {
  return new ProblemError(
    'unusable-repository',
    `The XML engine libxmljs2 cannot be used: ${reason}. Install it as docs/run/configuration.md says (it needs a compiler), or use the default engine libxml2-wasm.`,
  )
}
