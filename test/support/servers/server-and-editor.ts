import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type FinishedProcess,
  type RunningServer,
  runMetastore,
  startServer,
  temporaryFolder,
} from '../program/run-program.js'
import { type ExampleRepository, exampleRepositoryAt, initialise } from '../repository/example-repository.js'
import { copyPrepared } from '../repository/prepared-folder.js'
import { waitUntil } from '../repository/test-repository.js'

const xsd = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://example.org/list" elementFormDefault="qualified">
  <xs:element name="list"><xs:complexType><xs:sequence>
    <xs:element name="item" type="xs:string" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>
`
export const listOf = (...items: string[]) =>
  `<list xmlns="http://example.org/list">\n${items.map(item => `  <item>${item}</item>\n`).join('')}</list>\n`

/** Folder of the metadata record `rod-7`. */
const rod = 'metadata/9/3/8/0/rod-7'
export const rodFile = `${rod}/document.xml`

/** A server and a person who work on one data folder. It has a schema `list` and a metadata record `rod-7`. */
export interface ServerAndEditor {
  readonly hand: ExampleRepository
  readonly server: RunningServer
  /** Runs `git-metastore` with the URL of the server, and expects success. */
  through(...args: string[]): Promise<FinishedProcess>
  /** Stores the next version of a record through the server. */
  update(id: string, text: string): Promise<void>
  /** Reads a file of the data folder. */
  read(path: string): Promise<string>
  until(what: () => Promise<boolean>): Promise<void>
  /** Waits until the file in the work tree has the text. */
  shown(path: string, text: string): Promise<void>
  /** Waits until the index equals the branch and is not locked. */
  followed(): Promise<void>
  /** A person changes the last line, and then a client changes the first line as version 2. */
  both(): Promise<void>
}

/** Makes the example repository with the schema `list` and the record `rod-7`. */
async function makeRepositoryWithList(data: string): Promise<void> {
  await initialise(data, [])
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'list.xsd'), xsd)
  await writeFile(join(folder, 'rod.xml'), listOf('one', 'two', 'three', 'four', 'five', 'six'))
  for (const command of [
    ['register', 'list', 'list.xsd'],
    ['add', 'list', 'https://example.org/rod', 'rod.xml', '--id', 'rod-7'],
  ]) {
    const { code, stderr } = await runMetastore([...command, '--data', data], { cwd: folder })
    expect(code, stderr).to.equal(0)
  }
}

/** @param options of `serve` */
export async function startServerAndEditor(...options: string[]): Promise<ServerAndEditor> {
  const folder = await temporaryFolder()
  const hand = exampleRepositoryAt(folder, join(folder, 'data'))
  await copyPrepared('list', hand.data, makeRepositoryWithList)
  const server = await startServer(['--data', hand.data, ...options])
  const file = (name: string, text: string) => writeFile(join(hand.folder, name), text)
  const read = (path: string) => readFile(join(hand.data, path), 'utf8')

  async function through(...args: string[]): Promise<FinishedProcess> {
    const ended = await runMetastore([...args, '--url', server.url])
    expect(ended.code, ended.stderr).to.equal(0)
    return ended
  }

  async function update(id: string, text: string): Promise<void> {
    await file('new', text)
    await through('update', id, join(hand.folder, 'new'))
  }

  async function until(what: () => Promise<boolean>): Promise<void> {
    await waitUntil('what the server does is noticed', what)
  }

  const shown = (path: string, text: string) =>
    until(async () => (await read(path).catch(() => '')).includes(text))
  const followed = () =>
    until(
      async () =>
        !existsSync(join(hand.data, '.git/index.lock')) &&
        (await hand.tryGit('diff', '--cached', '--quiet')).code === 0,
    )

  return {
    hand,
    server,
    through,
    update,
    read,
    until,
    shown,
    followed,
    async both() {
      await hand.edit(rodFile, text => text.replace('six', 'SIX'))
      await update('rod-7', listOf('ONE', 'two', 'three', 'four', 'five', 'six'))
      await followed()
    },
  }
}
