import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { plural } from '../../parts/text/format.ts'
import type { Refusal, useSignIn } from './use-sign-in.ts'

type Props = ReturnType<typeof useSignIn>

export function SignInForm({ refusal, isBusy, waitS, enter }: Props) {
  const [token, setToken] = useState('')
  const [isEmpty, setEmpty] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    if (isBusy || waitS > 0) return
    setEmpty(token.trim() === '')
    if (token.trim() !== '') void enter({ token: token.trim() })
  }
  return (
    <form class="card" aria-label="Sign in" onSubmit={submit}>
      <RefusalNote refusal={refusal} waitS={waitS} />
      <div class="field">
        <label for="token">Team token</label>
        <TokenInput
          inputRef={input}
          value={token}
          isInvalid={isEmpty || refusal?.kind === 'wrong-token'}
          onChange={setToken}
        />
        {isEmpty && (
          <p class="hint bad" role="alert">
            Paste the token first.
          </p>
        )}
        <p class="hint" id="token-hint">
          The first start wrote it to <span class="ic">first-run.json</span> in the data folder.
          Later ones come from your operator.
        </p>
      </div>
      {waitS > 0 ? (
        <Button type="submit" disabled>
          Sign in in {waitS} s
        </Button>
      ) : (
        <button class="btn primary" type="submit" aria-busy={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'} <kbd>↵</kbd>
        </button>
      )}
    </form>
  )
}

function TokenInput(props: {
  inputRef: { current: HTMLInputElement | null }
  value: string
  isInvalid: boolean
  onChange(value: string): void
}) {
  const [isShown, setShown] = useState(false)
  return (
    <div class="affix">
      <Icon name="key" />
      <input
        ref={props.inputRef}
        class="in mono"
        id="token"
        name="token"
        type={(isShown ? 'text' : 'password') as 'text'}
        autocomplete="current-password"
        spellcheck={false}
        placeholder="32 characters"
        aria-describedby="token-hint"
        aria-invalid={props.isInvalid ? 'true' : undefined}
        value={props.value}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
      <IconButton
        class="end"
        icon="eye"
        label={isShown ? 'Hide the token' : 'Show the token'}
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      />
    </div>
  )
}

/** A title, and what to do about it; what has neither is told in the service's own words. */
const REFUSALS: Readonly<Record<Refusal['kind'], readonly [string, string] | null>> = {
  'wrong-token': [
    'This token opens nothing.',
    'It may have been revoked, or belong to another Headgate.',
  ],
  'old-link': ['This link is an old one.', 'Each start prints a new one; or sign in with a token.'],
  slow: ['Too many attempts from your address.', ''],
  other: null,
}

function RefusalNote({ refusal, waitS }: { refusal: Refusal | null; waitS: number }) {
  if (!refusal || (refusal.kind === 'slow' && waitS === 0)) return null
  const isSlow = refusal.kind === 'slow'
  const [title, words] = REFUSALS[refusal.kind] ?? ['', refusal.message]
  return (
    <Note tone={isSlow ? 'warn' : 'bad'} icon={isSlow ? 'clock' : 'warn'} role="alert">
      {title && <b>{title}</b>} {words}
      {isSlow && <span aria-live="off">Try again in {plural(waitS, 'second')}.</span>}
    </Note>
  )
}
