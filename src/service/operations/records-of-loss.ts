import { join, resolve } from 'node:path'
import { catalogFile } from '../../catalog/open-catalog.js'
import { type ObjectOwner, openObjectOwners } from '../../catalog/read/object-owners.js'
import type { Finding, ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { ownFolder } from '../../store/repository/open-repository.js'
import { findDamagedGitDir } from '../../store/repository-folder/inspect-folder.js'

/** The records that need the objects whose ids an error names, as findings; none without a readable catalog. */
export async function recordsOfLoss(data: string, error: ProblemError): Promise<readonly Finding[]> {
  const oids = new Set((`${error.message} ${causeOf(error)}`.match(/\b[0-9a-f]{40}\b/g) ?? []) as Oid[])
  if (oids.size === 0) return []
  const owners = openObjectOwners(join(await findDamagedGitDir(resolve(data)), ownFolder, catalogFile))
  try {
    return [...(owners?.of(oids) ?? [])].flatMap(([oid, revisions]) =>
      revisions.map(revision => ({ message: `${ownerText(revision)} needs ${oid}.` })),
    )
  } finally {
    owners?.close()
  }
}

function causeOf({ cause }: ProblemError): string {
  return cause instanceof Error ? cause.message : ''
}

function ownerText({ kind, id, directory, version, commit }: ObjectOwner): string {
  const subject = id === undefined ? directory : `${kind} ${id}`
  return `${subject}${version === undefined ? '' : ` version ${version}`} of commit ${commit.slice(0, 10)}`
}
