import { describeDocument } from '../../../../src/features/crosswalks/describe-document.js'

/** A document of a known schema. */
export interface KnownSample {
  readonly title: string
  /** Name of the known schema. */
  readonly schema: string
  /** A text for XML, and a value for JSON. */
  readonly document: unknown
  /** The values of the complete description. Every value was compared with the document by eye. */
  readonly described: Readonly<Record<string, readonly unknown[]>>
}

/** What a document says about itself, with the places of the values. */
export function describeSample(document: unknown): ReturnType<typeof describeDocument> {
  const isXml = typeof document === 'string'
  const bytes = Buffer.from(isXml ? document : JSON.stringify(document))
  return describeDocument(bytes, isXml ? 'XML' : 'JSON')
}

/** The values of a description. */
export function valuesOf(description: ReturnType<typeof describeDocument>): KnownSample['described'] {
  return Object.fromEntries(
    Object.entries(description).map(([property, found]) => [property, found.map(({ value }) => value)]),
  )
}
