import { join } from 'node:path'
import { jsonSchema, noteXml, noteXsdText } from '../../support/http/test-service.js'
import {
  openTranscriptPlayer,
  type Player,
  readRecordedRequests,
} from '../../support/http/transcript-player.js'
import {
  runMetastore,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'

/*
 * The requests of kitdm_pycli, the command line of KIT Data Manager, byte by byte as Python's `requests` sends them.
 * The configured address ends in a slash. Parts always have the type of JSON. Commas join filters. PUT and DELETE have
 * no Accept. The client accepts 201 for create, 200 for get, update and download, and 204 for delete. It stops at any
 * other status.
 * @see docs/contract.md#clients-that-must-work
 */

const languages = [
  {
    type: 'JSON',
    mediaType: 'application/json',
    files: {
      'schema-1': jsonSchema('title'),
      'schema-2': jsonSchema('title', 'date'),
      'schema-3': jsonSchema(),
      'document-1': '{"title": "Grüße", "date": "2026-11-21"}\n',
      'document-2': '{\r\n\t"title": "other"\r\n}',
    },
  },
  {
    type: 'XML',
    mediaType: 'application/xml',
    files: {
      'schema-1': noteXsdText,
      'schema-2': noteXsdText.replace('xs:sequence>', 'xs:choice>').replace('/xs:sequence', '/xs:choice'),
      'schema-3': noteXsdText.replace('xs:string', 'xs:token'),
      'document-1': noteXml,
      'document-2': noteXml.replace('hello', '\r\n  Grüße\r\n'),
    },
  },
] as const

/**
 * Each command of the client opens a connection for each request. A script with a `requests.Session` keeps its
 * connection.
 */
const plays = [
  { path: '/metastore/', keepAlive: false },
  { path: '/', keepAlive: true },
] as const

const stories = ['schemas', 'documents', 'lists'] as const

for (const story of stories) {
  const commands = await readRecordedRequests(`e2e/clients/transcripts/kitdm-pycli-${story}.http`)
  for (const { path, keepAlive } of plays) {
    for (const { type, mediaType, files } of languages) {
      const connections = keepAlive ? 'one connection' : 'a connection for each request'
      describe(`the Python client, ${story} in ${type}, at ${path} over ${connections}`, () => {
        let player: Player
        before(async () => {
          const data = join(await temporaryFolder(), 'data')
          await runMetastore(['init', data, '--empty'])
          const { port } = await startServer(['--data', data])
          const texts = { host: `127.0.0.1:${port}`, path, type, mediaType }
          player = openTranscriptPlayer({ port, texts, files, keepAlive })
        })
        after(async () => {
          player.close()
          await stopProcesses()
        })

        for (const command of commands) it(command.title, () => player.play(command))
      })
    }
  }
}
