import { expect } from 'chai'
import type request from 'supertest'
import { type Client, type FormParts, formFile } from './api-versions.js'

/** Files of a schema by path. The first one is the part `schema`, the others are parts `include`. */
export type SchemaFiles = Readonly<Record<string, string | Buffer>>

function partsOf(files: SchemaFiles): FormParts {
  return Object.entries(files).map(([file, content], index) => ({
    name: index === 0 ? 'schema' : 'include',
    content,
    file,
  }))
}

/** Registers a schema under the file names that its files have on the disk of the user. */
export function postSchemaFiles(client: Client, id: string, files: SchemaFiles): request.Test {
  return client.send('post', '/schemas', [formFile('record', client.interface.schema(id)), ...partsOf(files)])
}

/** Makes these files the next version of a schema. */
export function putSchemaFiles(client: Client, id: string, etag: string, files: SchemaFiles): request.Test {
  return client.send('put', `/schemas/${id}`, partsOf(files), { 'If-Match': etag })
}

/** Checks what a registered schema says about documents. */
export async function expectVerdicts(
  client: Client,
  id: string,
  { valid, invalid }: { readonly valid: string; readonly invalid: string },
): Promise<void> {
  const good = await client.validate(`/schemas/${id}/validate`, valid)
  expect(good.status, good.text).to.equal(204)
  const bad = await client.validate(`/schemas/${id}/validate`, invalid)
  expect(bad.status, bad.text).to.equal(422)
  expect(bad.text).not.to.contain('The schema cannot be used')
}
