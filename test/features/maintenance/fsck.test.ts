// test-schedule: quick
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { fsck } from '../../../src/features/maintenance/repair/fsck.js'
import { runProgram, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { createNote, registerNote } from '../../support/repository/note-records.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

describe('git fsck', () => {
  let gitDir: string
  let folder: string

  beforeEach(async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    await createNote(services, 'One')
    await services.workTreeUpToDate()
    await services.close()
    gitDir = join(repository.dir, '.git')
    folder = await temporaryFolder()
  })
  afterEach(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  /** A git whose `fsck` only runs `doing` and reports an error. @param more further output of every run */
  async function complaining(doing: string, more = ''): Promise<string> {
    const wrapper = join(folder, 'git')
    const complaint = `echo "error: packfile of look $(wc -l <'${folder}/looks') index not opened${more}" >&2`
    const script = [
      '#!/bin/sh',
      'case "$*" in',
      `*fsck*) echo >>'${folder}/looks'; if ${doing}; then ${complaint}; exit 1; fi ;;`,
      'esac',
      'exec git "$@"',
    ]
    await writeFile(wrapper, `${script.join('\n')}\n`, { mode: 0o755 })
    return wrapper
  }

  const committing = () => `git -C '${gitDir}' commit-tree -m "$(wc -l <'${folder}/looks')" 'HEAD^{tree}'`
  /** Adds one pack to the existing packs. */
  const adding = () =>
    `${committing()} | git -C '${gitDir}' pack-objects -q '${gitDir}/objects/pack/pack' >/dev/null`
  /** Replaces all packs with a new pack. */
  const exchanging = () =>
    `git -C '${gitDir}' update-ref refs/heads/more $(${committing()}) && git -C '${gitDir}' repack -a -d -q`

  it('finds nothing in a sound repository, and returns the messages of git otherwise', async () => {
    expect(await fsck('git', gitDir)).to.deep.equal([])

    await runProgram('git', ['-C', gitDir, 'update-ref', '--no-deref', 'refs/heads/odd', 'HEAD'])
    await writeFile(join(gitDir, 'refs/heads/odd'), `${'7'.repeat(40)}\n`)

    expect((await fsck('git', gitDir)).join('\n')).to.contain('refs/heads/odd')
  })

  it('is repeated if packs changed meanwhile', async () => {
    const once = await complaining(`[ $(wc -l <'${folder}/looks') -le 1 ] && ${exchanging()}`)

    expect(await fsck(once, gitDir)).to.deep.equal([])
    expect((await readFile(join(folder, 'looks'), 'utf8')).length).to.equal(2)
  })

  it('is not repeated if packs were unchanged', async () => {
    const always = await complaining('true')

    expect(await fsck(always, gitDir)).to.deep.equal(['error: packfile of look 1 index not opened'])

    const growing = await complaining(adding())
    await rm(join(folder, 'looks'))
    expect(await fsck(growing, gitDir)).to.deep.equal(['error: packfile of look 1 index not opened'])
  })

  it('returns the messages of all runs if packs keep changing', async () => {
    const restless = await complaining(exchanging(), '\nmissing blob 1234')

    expect(await fsck(restless, gitDir)).to.deep.equal(['missing blob 1234'])
    expect((await readFile(join(folder, 'looks'), 'utf8')).length).to.equal(10)

    const otherwise = await complaining(exchanging())
    expect(await fsck(otherwise, gitDir)).to.deep.equal([])
  })
})
