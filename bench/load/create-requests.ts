import { asVersion, type Id, type Version } from '../../src/core/value-types.js'
import { documentFileName, recordDirectory, recordFile } from '../../src/store/records/repository-layout.js'
import { git, readFiles, type StoredFiles } from '../baselines/plain-git.js'
import { documentOf, idOf, schemaIdOf, schemaOf } from '../data/generated-records.js'
import { schemas, seed } from '../data/repository-cache.js'
import { form, requestBytes } from './http-connection.js'
import type { LoadRequest } from './load-generator.js'

/*
 * Requests that create records beyond those of the generated repository. The number of a record determines its whole
 * content.
 */

/** Returns consecutive numbers from `first`. */
export function numbers(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index)
}

export function idOfRecord(number: number): Id {
  return idOf(seed, number)
}

/** Makes a document of about 2 KB that is valid against a schema of about 5 KB. */
export function documentFor(number: number, version: Version = asVersion(1)): Buffer {
  return documentOf(seed, number, version, schemaOf(seed, number, schemas))
}

/** Makes the record of a create request in version 1 of the interface. */
export function recordPart(number: number): Buffer {
  return Buffer.from(
    JSON.stringify({
      id: idOfRecord(number),
      relatedResource: { identifier: `https://example.org/created/${number}`, identifierType: 'URL' },
      schema: { identifier: schemaIdOf(schemaOf(seed, number, schemas)), identifierType: 'INTERNAL' },
      schemaVersion: 1,
    }),
  )
}

export function createBytes(number: number): Buffer {
  const parts = form({ record: recordPart(number), document: documentFor(number) })
  return requestBytes({ method: 'POST', path: '/api/v1/metadata', ...parts })
}

export function* createRequests(of: readonly number[]): Generator<LoadRequest> {
  for (const number of of) yield { bytes: createBytes(number), expected: { status: 201 } }
}

/**
 * Reads the created records with git and checks that all exist: a commit for each, and documents with the same bytes.
 * @param before commit of the branch before the creates
 * @param others number of commits of other clients
 * @throws Error that names what is missing
 */
export function assertCreated(
  dir: string,
  before: string,
  created: readonly number[],
  others = 0,
): readonly StoredFiles[] {
  const commits = Number(git(dir, 'rev-list', '--count', '--first-parent', `${before}..HEAD`))
  const expected = created.length + others
  if (commits !== expected) throw new Error(`There are ${commits} new commits, not ${expected}.`)
  const paths = created.flatMap(number => {
    const folder = recordDirectory('metadata', idOfRecord(number))
    return [`${folder}/${recordFile}`, `${folder}/${documentFileName('metadata', 'JSON')}`]
  })
  const files = readFiles(dir, 'HEAD', paths)
  return created.map((number, index) => {
    const [record, document] = [files[2 * index], files[2 * index + 1]]
    if (!record || !document?.equals(documentFor(number))) {
      throw new Error(
        `Record ${number} (${idOfRecord(number)}) was acknowledged, but the repository does not have it.`,
      )
    }
    const [recordPath, documentPath] = [paths[2 * index] as string, paths[2 * index + 1] as string]
    return {
      name: idOfRecord(number),
      files: new Map([
        [recordPath, record],
        [documentPath, document],
      ]),
    }
  })
}
