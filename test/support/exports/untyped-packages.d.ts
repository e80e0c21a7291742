/* Types of packages without type declarations, as far as tests use them. */

declare module 'n3' {
  export interface Term {
    readonly termType: string
    readonly value: string
    readonly language?: string
    /** The datatype of a literal. */
    readonly datatype?: Term
  }
  export interface Quad {
    readonly subject: Term
    readonly predicate: Term
    readonly object: Term
  }
  export class Parser {
    constructor(options?: { readonly format?: string; readonly baseIRI?: string })
    parse(text: string): Quad[]
  }
  export class Store {
    constructor(quads?: readonly Quad[])
    readonly size: number
    addQuad(quad: Quad): void
    getQuads(subject: unknown, predicate: unknown, object: unknown, graph: unknown): Quad[]
    getObjects(subject: unknown, predicate: unknown, graph: unknown): Term[]
    getSubjects(predicate: unknown, object: unknown, graph: unknown): Term[]
  }
  export class Writer {
    constructor(options: { readonly format: string })
    quadsToString(quads: readonly Quad[]): string
  }
  export const DataFactory: { namedNode(value: string): Term }
}

declare module 'jsonld' {
  interface Options {
    readonly format?: string
    readonly inputFormat?: string
    readonly algorithm?: string
    readonly base?: string
    readonly safe?: boolean
    documentLoader?(url: string): Promise<{ readonly document: unknown; readonly documentUrl: string }>
  }
  const jsonld: {
    toRDF(document: unknown, options: Options): Promise<string>
    canonize(document: unknown, options: Options): Promise<string>
    expand(document: unknown, options?: Options): Promise<readonly Readonly<Record<string, unknown>>[]>
  }
  // biome-ignore lint/style/noDefaultExport: the package has it
  export default jsonld
}

declare module '@citation-js/core' {
  export class Cite {
    constructor(input: unknown, options?: Readonly<Record<string, unknown>>)
    readonly data: readonly Readonly<Record<string, unknown>>[]
    format(format: string, options?: Readonly<Record<string, unknown>>): string
  }
}
declare module '@citation-js/plugin-bibtex'
declare module '@citation-js/plugin-ris'

declare module 'http-link-header' {
  interface Reference {
    readonly uri: string
    readonly [attribute: string]: string
  }
  const LinkHeader: { parse(text: string): { readonly refs: readonly Reference[] } }
  // biome-ignore lint/style/noDefaultExport: the package has it
  export default LinkHeader
}

declare module 'ro-crate' {
  export class Validator {
    readonly results: readonly { readonly id: string; readonly status: string; readonly message: string }[]
    /** Undefined before a text is parsed, and if the text is not a crate. */
    readonly crate?: { resolveContext(): Promise<unknown> }
    parseJSON(text: string): void
    rootDataEntity(): void
    /** @param files by path; the method changes the object */
    checkFiles(files: Record<string, { exists: boolean }>): void
  }
}
