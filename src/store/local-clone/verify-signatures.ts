import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { type Clone, linesOrThrow } from './open-clone.js'

/** A commit without a valid signature. */
interface UnverifiedCommit {
  readonly commit: Oid
  readonly signature: 'none' | 'not valid'
  readonly reason: string
}

export interface SignatureReport {
  /** Number of commits on the first-parent chain. */
  readonly commits: number
  readonly unproven: readonly UnverifiedCommit[]
}

/** Messages for the letters by which git describes a signature that is not good. @see git-log(1), `%G?` */
const reasons: Readonly<Record<string, string>> = {
  N: 'It is not signed.',
  B: 'The signature is bad: the commit is not the one that was signed.',
  U: 'The signature is good, but its key is unknown: add the key to the allowed signers.',
  X: 'The signature has expired.',
  Y: 'The key has expired.',
  R: 'The key was revoked.',
  E: 'The signature cannot be checked: its key, or the program that checks it, is missing.',
}

/**
 * Verifies the signatures of all commits on the first-parent chain with git, newest first.
 * @param allowedSigners file of allowed keys for ssh signatures; default: the one in git's configuration
 * @throws ProblemError `malformed-request` if no such file is configured
 * @see ssh-keygen(1), "ALLOWED SIGNERS"
 */
export async function verifySignatures(
  clone: Clone,
  to: Oid,
  allowedSigners: string | undefined,
): Promise<SignatureReport> {
  const signers = allowedSigners === undefined ? [] : ['-c', `gpg.ssh.allowedSignersFile=${allowedSigners}`]
  const result = await clone.git([
    ...signers,
    ...['-c', 'log.showSignature=false'],
    ...['log', '--first-parent', '--format=%H %G?', to, '--'],
  ])
  if (/allowedSignersFile needs to be configured/.test(result.stderr)) {
    throw new ProblemError(
      'malformed-request',
      'Commits are signed by ssh, but no allowed keys are configured: name a file with --allowed-signers, or set gpg.ssh.allowedSignersFile.',
    )
  }
  const told = linesOrThrow(result, 'git log').map(line => line.split(' ') as [Oid, string])
  const unproven = told
    .filter(([, letter]) => letter !== 'G')
    .map(([commit, letter]): UnverifiedCommit => {
      const signature = letter === 'N' ? 'none' : 'not valid'
      return { commit, signature, reason: reasons[letter] ?? `Git says ${letter}.` }
    })
  return { commits: told.length, unproven }
}
