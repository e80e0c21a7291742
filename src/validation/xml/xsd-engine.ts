import { type Finding, ProblemError } from '../../core/problem.js'

export type XmlEngineName = 'libxml2-wasm' | 'libxmljs2'

/** A file of a schema, ready for a parser: no DOCTYPE, every location the `name` of another part. */
export interface XmlPart {
  /** Flat name such as `3.xsd`; the document itself is the first part. */
  readonly name: string
  readonly text: string
  /** Path of the file as findings name it; undefined is the document itself. */
  readonly file?: string
}

/** A schema that compiled. */
export interface XmlSchema {
  /** Findings about the document; none when it is well-formed, without DOCTYPE, and valid. */
  validate(document: Uint8Array): readonly Finding[]
  dispose(): void
}

/**
 * What an XML library does for us. Engines open nothing but the parts they are given: no file, no network, no
 * external entity, no XInclude.
 */
export interface XmlEngine {
  /** @throws ProblemError `unprocessable` where a part is not well-formed or the whole is no XSD 1.0 schema */
  compile(parts: readonly XmlPart[]): XmlSchema
  /** @throws ProblemError `unprocessable` where the part is not well-formed */
  parse(part: XmlPart): void
}

/** @throws ProblemError `unusable-repository` where libxmljs2 is not installed */
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
    `The XML engine libxmljs2 cannot be used: ${reason}. Install it as docs/configuration.md says (it needs a compiler), or use the default engine libxml2-wasm.`,
  )
}
