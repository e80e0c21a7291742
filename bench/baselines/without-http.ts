import * as fs from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as isomorphic from 'isomorphic-git'
import { compose } from '../../src/compose/compose.js'
import { defaults } from '../../src/config.js'
import { selfPrincipal } from '../../src/core/access-control.js'
import { asVersion } from '../../src/core/value-types.js'
import { decodeRecord } from '../../src/store/records/record-json.js'
import { openRepository } from '../../src/store/repository/open-repository.js'
import { openWriter } from '../../src/store/write/open-writer.js'
import { schemaIdOf, schemaOf } from '../data/generated-records.js'
import { say, schemas, seed } from '../data/repository-cache.js'
import { documentFor, idOfRecord } from '../load/create-requests.js'
import { together } from '../support/statistics.js'
import type { StoredFiles } from './plain-git.js'
import { openHeadOnly } from './store-without-catalog.js'

/* Ways to create records without HTTP. Each returns the milliseconds that it takes. */

/**
 * Creates records with the service layer: validated and durable.
 * @param gitTurn length in milliseconds of a turn of git commands in the work tree; default: as in a server
 */
export async function throughService(
  dir: string,
  created: readonly number[],
  width: number,
  warm: readonly number[],
  gitTurn?: number,
): Promise<number> {
  const services = await compose({ ...defaults, data: dir }, { report: say, gitTurn })
  try {
    const create = (number: number) =>
      services.collections.metadata.create(
        selfPrincipal,
        {
          id: idOfRecord(number),
          schema: { schemaId: schemaIdOf(schemaOf(seed, number, schemas)), version: asVersion(1) },
          edit: base => ({
            ...base,
            relatedIdentifiers: [
              {
                identifierType: 'URL',
                value: `https://example.org/created/${number}`,
                relationType: 'IS_METADATA_FOR',
              },
            ],
          }),
        },
        { document: documentFor(number) },
      )
    await together(warm.length, width, at => create(warm[at] as number))
    const started = performance.now()
    await together(created.length, width, at => create(created[at] as number))
    return performance.now() - started
  } finally {
    await services.close()
  }
}

/**
 * Creates records with the store: durable, but neither validated nor in a catalog.
 * @param width number of updates that wait for a flush together
 */
export async function throughStore(
  dir: string,
  records: readonly StoredFiles[],
  width: number,
): Promise<{ readonly elapsed: number; readonly flushes: number }> {
  const repository = await openRepository(dir)
  const { catalog, flushes } = openHeadOnly()
  const writer = openWriter({ repository, catalog, report: say })
  try {
    await writer.catchUp()
    const changes = records.map(({ files }) => {
      const [record, document] = [...files.values()] as [Buffer, Buffer]
      return { record: decodeRecord(record), document }
    })
    const author = { name: selfPrincipal.name, email: selfPrincipal.email }
    const started = performance.now()
    await together(changes.length, width, async at => {
      const { record, document } = changes[at] as (typeof changes)[number]
      const { id } = record
      const state = { record, documentType: 'JSON', document, files: new Map() } as const
      const plan = () => ({ kind: 'metadata', id, state, subject: `Create metadata ${id}` }) as const
      await writer.write(author, plan, { kind: 'metadata', id })
    })
    return { elapsed: performance.now() - started, flushes: flushes() }
  } finally {
    await writer.close()
    await repository.close()
  }
}

/** Creates records with isomorphic-git, one commit each, not durable. */
export async function withIsomorphic(dir: string, records: readonly StoredFiles[]): Promise<number> {
  const author = { name: 'bench', email: 'bench@example.org' }
  const started = performance.now()
  for (const { name, files } of records) {
    for (const [path, bytes] of files) {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), bytes)
    }
    await isomorphic.add({ fs, dir, filepath: [...files.keys()] })
    await isomorphic.commit({ fs, dir, author, message: `Create ${name}` })
  }
  return performance.now() - started
}
