declare module 'oai-pmh' {
  export interface OaiHeader {
    readonly identifier: string
    readonly datestamp: string
    readonly $?: { readonly status?: string }
  }

  export class OaiPmh {
    constructor(baseUrl: string, options?: { readonly retryMin?: number })
    listIdentifiers(options: Readonly<Record<string, string>>): AsyncIterable<OaiHeader>
    listRecords(
      options: Readonly<Record<string, string>>,
    ): AsyncIterable<{ readonly header: OaiHeader; readonly metadata?: unknown }>
  }
}
