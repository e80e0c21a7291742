import { malformedRequest, ProblemError, tooLarge } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { decodeJson } from '../bodies/decode-json.js'
import { isJsonType } from '../media-types.js'
import type { FormPart } from './form-parts.js'
import type { UploadLimits } from './upload-limits.js'

/** Limits the bytes and values of all JSON parts of a request together, because parsing them blocks the event loop. */
export interface JsonBudget {
  /** Counts a part. @throws ProblemError `too-large` if the limit is exceeded */
  take(name: string, bytes: number, values: number): void
}

/** Opens the budget of one request, which also limits the number of values. @param maxBytes of all parts together */
export function openJsonBudget(maxBytes: number): JsonBudget {
  let bytesLeft = maxBytes
  let valuesLeft = maxValues
  return {
    take(name, bytes, values) {
      bytesLeft -= bytes
      valuesLeft -= values
      const exceeded =
        valuesLeft < 0 ? `${maxValues} values` : bytesLeft < 0 ? `${maxBytes} bytes` : undefined
      if (exceeded === undefined) return
      throw tooLarge(
        `With the part ${name} the JSON parts have more than ${exceeded}; send them in several requests.`,
      )
    },
  }
}

export interface JsonPartOptions {
  /** Shared with the other JSON parts of the request; default: the part is the only one. */
  readonly budget?: JsonBudget
  /** Whether the limit of the values of a record applies; default: true. */
  readonly isRecord?: boolean
}

/**
 * The JSON object in a part such as `record`.
 * @throws ProblemError `unsupported-media-type`, `too-large`, `malformed-request`
 * @see docs/contract.md#the-record-part
 */
export function parseJsonPart(
  part: FormPart,
  limits: Pick<UploadLimits, 'record'>,
  { budget = openJsonBudget(limits.record), isRecord = true }: JsonPartOptions = {},
): Readonly<Record<string, unknown>> {
  const { name, bytes, contentType } = part
  if (part.fileName !== undefined && contentType !== undefined && !isJsonOrUnknown(contentType)) {
    throw new ProblemError(
      'unsupported-media-type',
      `The part ${name} is JSON; send it as application/json, not as ${truncate(contentType)}.`,
    )
  }
  if (bytes.length > limits.record) {
    throw tooLarge(`The part ${name} has ${bytes.length} bytes; at most ${limits.record} are taken.`)
  }
  const json = decodeJson(bytes, `The part ${name}`, maxDepth, ({ values }) => {
    if (isRecord) refuseLargeRecord(values)
    budget.take(name, bytes.length, values)
  })
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) {
    return json as Readonly<Record<string, unknown>>
  }
  throw malformedRequest(`The part ${name} is not a JSON object.`)
}

/** Whether a part may be JSON. Programs that do not know the type of a file send `application/octet-stream`. */
function isJsonOrUnknown(mediaType: string): boolean {
  return mediaType === 'application/octet-stream' || isJsonType(mediaType)
}

/** Limit of the levels of nested arrays and objects: several times what records need, and safe for the stack. */
const maxDepth = 100
/** Limit of the values of a record. Checking and storing so many takes about 0.1 s, and blocks the event loop. */
const maxRecordValues = 50_000
/** Limit of the values of all JSON parts of a request. `JSON.parse` takes about 0.1 s for so many. */
const maxValues = 200_000

/**
 * Refuses a record that would block the event loop too long.
 * @param values of the record, as {@link jsonSize} counts them
 * @throws ProblemError `too-large`
 */
export function refuseLargeRecord(values: number): void {
  if (values > maxRecordValues) throw tooLarge(`The record has more than ${maxRecordValues} values.`)
}
