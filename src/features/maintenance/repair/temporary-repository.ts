import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Oid, toOid } from '../../../core/value-types.js'
import { type GitResult, linesOf, outputOf, runGit } from '../../../store/git-commands/git-command.js'
import { packFolder } from '../../../store/git-commands/git-directory.js'
import { openCatFileReader } from '../../../store/object-readers/cat-file-reader.js'
import type { ObjectType } from '../../../store/objects/object-reader.js'
import { createGitDirectory } from '../../../store/work-tree/create-repository.js'

/** A missing object that another object or a ref names. */
export interface MissingReference {
  readonly oid: Oid
  readonly type: ObjectType
  /** Path to the object, such as `refs/heads/main~2:schemas/note/schema.json`. */
  readonly name: string
}

/** A separate bare repository, in which git works even if the original repository is badly damaged. */
export interface TemporaryRepository {
  readonly gitDir: string
  /** Runs git in this repository. @param input standard input */
  git(args: readonly string[], input?: string): Promise<GitResult>
  /** Those of the objects that this repository has. */
  having(oids: Iterable<Oid>): Promise<ReadonlySet<Oid>>
  /** The objects that are reachable from the refs, but missing in this repository. */
  lacking(refs: ReadonlyMap<string, Oid>): Promise<readonly MissingReference[]>
  /** All objects reachable from `oids`, including these. */
  closure(oids: Iterable<Oid>): Promise<readonly Oid[]>
  /** Paths of the packs, without their ending. */
  packs(): Promise<readonly string[]>
  reader(): ReturnType<typeof openCatFileReader>
}

/** Makes an empty bare repository. @param gitDir must not exist */
export async function createTemporaryRepository(git: string, gitDir: string): Promise<TemporaryRepository> {
  await createGitDirectory(gitDir, true)
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n')

  const run = (args: readonly string[], input?: string) => runGit(git, gitDir, args, { input })

  async function having(oids: Iterable<Oid>): Promise<ReadonlySet<Oid>> {
    const found = linesOf(outputOf(await run(['cat-file', '--batch-check'], lines(oids)), 'cat-file'))
    return new Set(found.filter(line => !line.endsWith(' missing')).map(line => toOid(line.slice(0, 40))))
  }

  return {
    gitDir,
    git: run,
    having,
    async lacking(refs) {
      const led = await having(refs.values())
      const [there, gone] = [[] as string[], [] as MissingReference[]]
      for (const [name, oid] of refs) {
        if (led.has(oid)) there.push(`${oid} ${name}\n`)
        else gone.push({ oid, type: 'commit', name })
      }
      await writeFile(join(gitDir, 'packed-refs'), there.join(''))
      if (there.length === 0) return gone
      // Exit codes below 128 report missing objects; others are failures.
      const { code, stdout, stderr } = await run([
        'fsck',
        '--connectivity-only',
        '--name-objects',
        '--no-dangling',
        '--no-progress',
      ])
      if (code >= 128) throw new Error(`git fsck ended with ${code}: ${stderr}`)
      const missing = stdout
        .toString()
        .matchAll(/^missing (blob|tree|commit|tag) ([0-9a-f]{40})(?: \((.*)\))?$/gm)
      const found = [...missing].map(
        ([, type, oid = '', name = '']): MissingReference => ({
          type: type as ObjectType,
          oid: toOid(oid),
          name,
        }),
      )
      return [...gone, ...found]
    },
    async closure(oids) {
      const told = await run(['rev-list', '--objects', '--no-object-names', '--stdin'], lines(oids))
      return linesOf(outputOf(told, 'rev-list')).map(toOid)
    },
    async packs() {
      const folder = packFolder(gitDir)
      const names = await readdir(folder)
      return names.filter(name => name.endsWith('.pack')).map(name => join(folder, name.slice(0, -5)))
    },
    reader: () => openCatFileReader(git, gitDir),
  }
}

function lines(oids: Iterable<Oid>): string {
  return [...oids].map(oid => `${oid}\n`).join('')
}
