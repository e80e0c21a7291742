import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ownFolder } from '../../src/store/repository/open-repository.js'
import { copyRepository, type Repositories, type Size } from '../data/repository-cache.js'
import { indexed } from '../load/timed-searches.js'
import { type Server, withServer } from '../support/server-process.js'
import type { Build } from './build-commit.js'
import { untilQuiet } from './measured-work.js'

/** What the servers of a row have. */
export interface Setting {
  readonly bare: boolean
  /** Whether the server has a search. */
  readonly search: boolean
  readonly records: number
}

/** Data folders for servers of several builds. */
export interface DataFolders {
  /** Provides a new data folder, whose derived data the build itself has made, and removes it afterwards. */
  withData<T>(
    build: Build,
    size: Pick<Setting, 'bare' | 'records'>,
    use: (dir: string) => Promise<T>,
  ): Promise<T>
  /** Runs a server of the build on a new data folder. */
  withServer<T>(build: Build, setting: Setting, use: (server: Server) => Promise<T>): Promise<T>
}

/** On a busy machine, a server would refuse updates that wait for more than ten seconds. All servers can be harvested. */
const settings = { METASTORE_MAX_WAIT: '600', METASTORE_OAI_ADMIN: 'admin@example.org' }

/** @param folder for the folders that are copied, one for each build and size */
export function openDataFolders(repositories: Repositories, folder: string): DataFolders {
  /** Makes the folder whose copies are served. It is on the disk of the repositories, so that packs can be linked. */
  async function made(build: Build, { bare, records }: Size): Promise<string> {
    const dir = join(folder, `${build.name}-${records}${bare ? '.git' : ''}`)
    if (existsSync(dir)) return dir
    const part = `${dir}.part`
    await mkdir(folder, { recursive: true })
    await copyRepository(await repositories.template({ records, bare }), part, bare)
    const gitDir = bare ? part : join(part, '.git')
    await rm(join(gitDir, ownFolder), { recursive: true, force: true })
    const index = async ({ port, pid }: Server) => {
      if (build.hasSearch) await indexed(port)
      await untilQuiet(pid)
    }
    await withServer(part, index, settings, build.program)
    await copyRepository(part, dir, bare)
    await rm(part, { recursive: true, force: true })
    return dir
  }

  const folders: DataFolders = {
    async withData(build, size, use) {
      const from = await made(build, size)
      return await repositories.withFolder(async scratch => {
        const dir = join(scratch, 'data')
        await copyRepository(from, dir, size.bare)
        return await use(dir)
      })
    },
    withServer: (build, setting, use) =>
      folders.withData(build, setting, dir => {
        const env = { ...settings, ...(!setting.search && { METASTORE_SEARCH: 'none' }) }
        return withServer(dir, use, env, build.program)
      }),
  }
  return folders
}
