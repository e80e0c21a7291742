import { asVersion, type Version } from '../../src/core/value-types.js'
import { documentFileName, recordDirectory } from '../../src/store/records/repository-layout.js'
import { readFiles } from '../baselines/plain-git.js'
import { documentFor, idOfRecord } from '../load/create-requests.js'

/** The required state of a record, according to the acknowledged updates. */
export interface Known {
  readonly number: number
  version: Version
  etag: string
  /** Whether an update of the record is running. */
  pending: boolean
  /** Whether the answer to an update was lost. The record then has the earlier state or the next version. */
  unsure: boolean
}

/** A client's log of acknowledged updates, for comparison with the repository. */
export interface Oracle {
  created(number: number, etag: string): void
  /** Notes that the answer to a create was lost. The record may or may not exist. */
  maybeCreated(number: number): void
  /** Returns a record without a lost answer; undefined if there is none among twenty. @param share where to begin */
  any(share: number): Known | undefined
  readonly acknowledged: number
  acknowledge(): void
  /** Compares the repository with the log. @returns differences */
  differences(dir: string): readonly string[]
}

/** Number of records that are compared at once. */
const portion = 5_000

export function openOracle(): Oracle {
  const records: Known[] = []
  const maybe: number[] = []
  let acknowledged = 0

  function accepted({ version, unsure }: Known): readonly Version[] {
    return unsure ? [version, asVersion(version + 1)] : [version]
  }

  function compare(dir: string, some: readonly Known[]): readonly string[] {
    const files = readFiles(
      dir,
      'HEAD',
      some.map(({ number }) => pathOf(number)),
    )
    return some.flatMap((known, index) => {
      const found = files[index]
      const name = `record ${known.number} (${idOfRecord(known.number)})`
      if (!found) return [`${name} was acknowledged and is not there`]
      if (accepted(known).some(version => found.equals(documentFor(known.number, version)))) return []
      return [`${name} is not version ${accepted(known).join(' or ')}, which was acknowledged`]
    })
  }

  return {
    created(number, etag) {
      records.push({ number, version: asVersion(1), etag, pending: false, unsure: false })
      acknowledged++
    },
    maybeCreated(number) {
      maybe.push(number)
    },
    any(share) {
      for (let tries = 0, at = Math.floor(share * records.length); tries < 20; tries++, at++) {
        const found = records[at % records.length]
        if (found && !found.unsure) return found
      }
      return undefined
    },
    get acknowledged() {
      return acknowledged
    },
    acknowledge() {
      acknowledged++
    },
    differences(dir) {
      const found: string[] = []
      for (let from = 0; from < records.length; from += portion)
        found.push(...compare(dir, records.slice(from, from + portion)))
      for (const [index, bytes] of readFiles(dir, 'HEAD', maybe.map(pathOf)).entries()) {
        const number = maybe[index] as number
        if (bytes && !bytes.equals(documentFor(number)))
          found.push(`record ${number} has bytes that were not sent`)
      }
      return found
    },
  }
}

function pathOf(number: number): string {
  return `${recordDirectory('metadata', idOfRecord(number))}/${documentFileName('metadata', 'JSON')}`
}
