import { useEffect } from 'preact/hooks'
import { Icon, Logo } from '../../parts/icon.tsx'
import { ThemeButton } from '../../shell/theme-button.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useSignIn } from './use-sign-in.ts'

const OWN_MACHINE = ['localhost', '127.0.0.1', '[::1]']

export default function SignInPage() {
  useEffect(() => {
    document.title = 'Sign in · Headgate'
  }, [])
  const signingIn = useSignIn()
  const isOwnMachine = OWN_MACHINE.includes(location.hostname)
  return (
    <div class="door">
      <Water />
      <header>
        <a class="brand" href="/">
          <Logo />
          Headgate
        </a>
        <ThemeButton />
      </header>
      <main id="main">
        <div class="panel">
          <div class="hd">
            <h1>Open the gate</h1>
            <p class="quiet">
              Sign in to <span class="strong">{location.host}</span> with your team’s token.
            </p>
          </div>
          {isOwnMachine && <LocalLink />}
          <SignInForm {...signingIn} />
          <p class="hint">
            The token stays on the server: this browser keeps a session cookie that scripts can’t
            read.
          </p>
        </div>
      </main>
    </div>
  )
}

/** Only the terminal has the link, so that no other program on the machine signs in. */
function LocalLink() {
  return (
    <div class="local">
      <div class="row top">
        <Icon name="flask" />
        <div>
          <b class="strong">On your own machine?</b>
          <p class="quiet small">
            In local development no token is needed: open the link that the terminal printed behind{' '}
            <span class="ic">dashboard</span>. It is good until the next start.
          </p>
        </div>
      </div>
    </div>
  )
}

const LINES = 13
const WAVES = 9

function Water() {
  return (
    <svg class="water" viewBox="0 0 1440 480" preserveAspectRatio="none" aria-hidden="true">
      {Array.from({ length: LINES }, (_, at) => (
        <path
          key={at}
          d={waveAt(at)}
          transform={`translate(${-((at * 53) % 240)} 0)`}
          opacity={0.1 + at * 0.055}
        />
      ))}
    </svg>
  )
}

/** Lines stand further apart and swing more towards the viewer. */
function waveAt(at: number): string {
  const y = 40 + 10 * at + 3.1 * at * at
  const swing = 7 + 2.6 * at
  const wave = `c60 ${-swing} 60 ${-swing} 120 0s60 ${swing} 120 0`
  return `M-200 ${y}${wave.repeat(WAVES)}`
}
