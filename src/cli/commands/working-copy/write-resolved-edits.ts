import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CommitCheckSession } from '../../../compose/compose-commit-check.js'
import type { Oid } from '../../../core/value-types.js'
import { type EnvironmentVariables, linesOrThrow } from '../../../store/local-clone/open-clone.js'
import { blobsIn } from '../../../store/manual-edits/find-outdated-edits.js'
import type { Repository } from '../../../store/repository/open-repository.js'
import { forgetEditBases, readEditBases } from '../../../store/work-tree/edit-bases.js'
import type { Terminal } from '../../output/terminal.js'
import type { PreparedCommit } from './prepare-commit.js'

/** Replaces edits by the resolved content. Git keeps the edits as objects. @param variables environment of git */
export async function writeResolvedEdits(
  { clone, scratch }: CommitCheckSession,
  { dir, ownDir, stagingDir }: Repository,
  { outdated, resolved }: PreparedCommit,
  terminal: Terminal,
  variables: EnvironmentVariables = {},
): Promise<void> {
  const git = async (args: readonly string[]) =>
    linesOrThrow(await clone.git(['-C', dir, '--literal-pathspecs', ...args], variables), `git ${args[0]}`)
  for (const [path, bytes] of resolved) {
    const edited = outdated.find(edit => edit.path === path)?.edited
    if (edited !== undefined) {
      const before = join(scratch.folder, 'edit')
      await writeFile(before, (await scratch.objects.read(edited)).bytes)
      await git(['hash-object', '-w', '--no-filters', '--', before])
      terminal.note(`Your edit of ${path} is kept: git -C ${clone.dir} cat-file -p ${edited}`)
    }
    const file = join(dir, path)
    if (bytes === undefined) await rm(file, { force: true })
    else {
      const made = join(stagingDir, `new-${randomBytes(6).toString('hex')}`)
      await writeFile(made, bytes)
      await chmod(made, 0o644)
      await mkdir(dirname(file), { recursive: true })
      await rename(made, file)
    }
    await git(['add', '--all', '--', path])
  }
  forgetEditBases(ownDir, resolved.keys())
}

/** Deletes the notes on which version an edit is based, for the edits that a commit has stored. */
export async function forgetCommittedBases(
  { clone }: CommitCheckSession,
  { ownDir }: Repository,
  before: Oid | undefined,
  commit: Oid,
): Promise<void> {
  const paths = [...readEditBases(ownDir).keys()]
  if (paths.length === 0 || before === undefined) return
  const [old, now] = await Promise.all([before, commit].map(each => blobsIn(clone, each, paths)))
  forgetEditBases(
    ownDir,
    paths.filter(path => old?.get(path) !== now?.get(path)),
  )
}
