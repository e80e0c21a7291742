// test-schedule: quick
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'

interface Locked {
  readonly version: string
  readonly license?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly hasInstallScript?: boolean
  readonly dev?: boolean
  readonly peer?: boolean
}

interface Manifest {
  readonly license?: string
  /** The form that packages used before `license`. */
  readonly licenses?: readonly { readonly type: string }[]
  readonly scripts?: Readonly<Record<string, string>>
}

/** Licences that allow everyone to use, change and distribute a package. */
const permissive =
  /^(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|PSF-2\.0|Python-2\.0|Zlib|Unlicense|CC0-1\.0)$/

/** Licences of packages that only tests use and that the server does not contain. */
const onlyForTests: ReadonlySet<string> = new Set([
  'axe-core: MPL-2.0',
  'oai-pmh: GPL-3.0',
  'ro-crate: GPL-3.0-or-later',
])

/**
 * Whether an expression allows a choice of permissive licences only. `AND` binds more closely than `OR`.
 * @see https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/
 */
function isPermissive(licence: string): boolean {
  const choices = licence.replace(/[()]/g, '').split(' OR ')
  return choices.some(choice => choice.split(' AND ').every(term => permissive.test(term)))
}

describe('the dependencies', () => {
  const root = packageFolder()
  let packages: readonly (readonly [path: string, locked: Locked])[]
  before(async () => {
    const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, Locked>>
    }
    packages = Object.entries(lock.packages).filter(([path]) => path !== '')
    expect(packages).to.have.length.above(100)
  })

  async function manifestOf(path: string): Promise<Manifest | undefined> {
    const file = join(root, path, 'package.json')
    // Packages for other machines are not installed.
    return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Manifest) : undefined
  }
  async function licenceOf(path: string, { license }: Locked): Promise<string> {
    if (license !== undefined) return license
    const manifest = await manifestOf(path)
    return manifest?.license ?? manifest?.licenses?.map(({ type }) => type).join(' OR ') ?? 'none'
  }

  it('are locked by hashes, and come from the configured registry', () => {
    for (const [path, { integrity, resolved }] of packages) {
      expect(integrity, path).to.match(/^sha512-/)
      expect(resolved, path).to.equal(undefined)
    }
  })

  it('have no install scripts', async () => {
    for (const [path, { hasInstallScript }] of packages) {
      expect(hasInstallScript, path).to.equal(undefined)
      const scripts = Object.keys((await manifestOf(path))?.scripts ?? {})
      expect(scripts, path).to.not.include.members(['preinstall']).and.to.not.include('install')
      expect(scripts, path).to.not.include('postinstall')
    }
  })

  it('have permissive licences, which docs/run/security.md lists', async () => {
    const byLicence = new Map<string, Set<string>>()
    for (const [path, locked] of packages) {
      const licence = await licenceOf(path, locked)
      const name = path.replace(/^.*node_modules\//, '')
      const isForTests = locked.dev === true && onlyForTests.has(`${name}: ${licence}`)
      expect(isPermissive(licence) || isForTests, `${name}: ${licence}`).to.equal(true)
      const place = `${licence} | ${locked.dev ? 'to build and test' : 'to run'}`
      const names = byLicence.get(place) ?? new Set()
      byLicence.set(place, names.add(name))
    }
    const sorted = [...byLicence].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const lines = sorted.map(([place, names]) => `| ${place} | ${[...names].toSorted().join(', ')} |`)
    const table = ['| Licence | Needed | Packages |', '|---|---|---|', ...lines].join('\n')

    const text = await readFile(join(root, 'docs', 'run', 'security.md'), 'utf8')
    expect(text.slice(text.indexOf('| Licence |')).trimEnd()).to.equal(table)
  })
})
