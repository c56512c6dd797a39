//! The relay itself: starts the agent, runs the pumps, forwards signals, and waits for the end.

use super::guard::{Guard, MarkedTree};
use super::pump::{CHUNK, Progress, Pump};
use super::stage::{Flow, Stage};
use super::{Ending, stdio};
use conform_judge::frame::End;
use conform_judge::signals;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::iterator::{Handle, Signals};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The signals that the relay passes on to the agent.
const FORWARDED: &[Signal] = &[
    Signal::TERM,
    Signal::INT,
    Signal::HUP,
    Signal::QUIT,
    Signal::USR1,
    Signal::USR2,
    Signal::WINCH,
];

/// How often the relay checks that its host still runs.
const HOST_INTERVAL: Duration = Duration::from_millis(200);
/// How long the agent may run after its host has ended: its stdin is closed, and it may finish.
const HOST_GRACE: Duration = Duration::from_secs(3);
/// How often the relay checks for more output after the agent has ended.
const DRAIN_INTERVAL: Duration = Duration::from_millis(20);
/// How long orphans of the agent may take to end before they are killed.
const ORPHAN_GRACE: Duration = Duration::from_secs(1);
/// How long a pipe may stay silent and open after the agent has ended: an orphan holds it.
const PIPE_GRACE: Duration = Duration::from_secs(1);
/// The maximum output that the relay and the pipe of an ended agent may still hold, in bytes.
const LEFT: usize = 2 * CHUNK;
/// How long the relay waits for a host that does not read after the agent has ended, if its pipe cannot take the rest of the output.
const READER_GRACE: Duration = Duration::from_secs(30);

/// An agent, and the stages that its bytes pass through.
pub struct Relay {
    /// The program, its arguments and its environment; its standard streams are set by the relay.
    pub command: Command,
    /// From the host to the agent's stdin.
    pub to_agent: Box<dyn Stage>,
    /// From the agent's stdout to the host.
    pub from_agent: Box<dyn Stage>,
    /// From the agent's stderr to the relay's.
    pub stderr: Box<dyn Stage>,
    /// Called with the name of a signal before it is passed on.
    pub on_signal: Box<dyn FnMut(&str) + Send>,
    /// Whether a guard process kills the agent's process tree if the relay is killed. Not needed if the host does it.
    pub guarded: bool,
}

/// How a relayed session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayEnd {
    /// How the relay must end, so that the host sees how the agent ended.
    pub ending: Ending,
    /// The last frame of the transcript.
    pub frame: End,
}

enum Event {
    AgentEnded,
    PumpEnded(Flow),
}

/// The process that gets signals; `None` after it is reaped, because its id may be reused.
type SignalTarget = Arc<Mutex<Option<Pid>>>;

impl Relay {
    /// Takes over standard input and output, starts the agent, and relays until its process tree has ended.
    ///
    /// # Errors
    /// The agent cannot be started, or the relay has no standard input or output.
    pub fn run(mut self) -> io::Result<RelayEnd> {
        let mut tree = MarkedTree::new();
        let mut guard = self.guarded.then(|| Guard::start(&tree)).transpose()?;
        let numbers = FORWARDED.iter().map(|signal| signal.as_raw());
        let incoming = Signals::new(numbers)?;
        let started = self.start(&tree);
        let (mut agent, pid) = match started {
            Ok(started) => started,
            Err(error) => {
                guard.into_iter().for_each(Guard::dismiss);
                return Err(error);
            }
        };
        tree.leader = Some(pid);
        if let Some(guard) = &mut guard {
            guard.watch(pid);
        }
        let target: SignalTarget = Arc::new(Mutex::new(Some(pid)));
        let forwarding = forward_signals(incoming, Arc::clone(&target), self.on_signal);
        let (events, inbox) = channel();
        let stages = [self.to_agent, self.from_agent, self.stderr];
        let mut output = Output {
            streams: start_pumps(&mut agent, stages, &events)?,
            inbox,
            ended: 0,
            since: Instant::now(),
        };
        watch_agent(pid, events);
        let why = output.wait_for_end(&tree);
        forwarding.close();
        target.lock().unwrap_or_else(PoisonError::into_inner).take();
        let status = agent.wait()?;
        let orphans = tree.kill_at(output.since + ORPHAN_GRACE);
        // Pipes that the killed processes held open end now.
        output.drain(PIPE_GRACE);
        guard.into_iter().for_each(Guard::dismiss);
        let orphans = u32::try_from(orphans).unwrap_or(u32::MAX);
        Ok(end_of(status.into(), &why, orphans))
    }

    fn start(&mut self, tree: &MarkedTree) -> io::Result<(Child, Pid)> {
        let agent = self
            .command
            .env(&tree.mark, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let pid = i32::try_from(agent.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("it has no process id"))?;
        Ok((agent, pid))
    }
}

/// Why the session ended.
enum Why {
    /// The agent exited or was killed by a signal.
    AgentEnded,
    /// A stage ended it.
    Stage(Ending),
    /// The host ended first.
    HostEnded,
}

fn end_of(status: Ending, why: &Why, orphans: u32) -> RelayEnd {
    let ending = match why {
        Why::Stage(ending) => *ending,
        Why::AgentEnded | Why::HostEnded => status,
    };
    let frame = match (why, ending) {
        (Why::HostEnded, _) => End::Killed {
            why: "the host has ended".to_owned(),
        },
        (_, Ending::Exit(code)) => End::Exited { code, orphans },
        (_, Ending::Signal(signal)) => End::Signalled { signal, orphans },
    };
    RelayEnd { ending, frame }
}

/// One output stream of the agent.
struct Stream {
    progress: Arc<Progress>,
    /// The host's end, while the pump holds it.
    sink: Weak<File>,
}

/// Starts the three pumps. Returns the outputs.
fn start_pumps(
    agent: &mut Child,
    stages: [Box<dyn Stage>; 3],
    events: &Sender<Event>,
) -> io::Result<[Stream; 2]> {
    let closed = || io::Error::other("a pipe of the agent is missing");
    let stdin = OwnedFd::from(agent.stdin.take().ok_or_else(closed)?);
    let stdout = OwnedFd::from(agent.stdout.take().ok_or_else(closed)?);
    let stderr = OwnedFd::from(agent.stderr.take().ok_or_else(closed)?);
    let ends: [(File, File); 3] = [
        (stdio::take_stdin()?, stdin.into()),
        (stdout.into(), stdio::take_stdout()?),
        (stderr.into(), stdio::share_stderr()?),
    ];
    let mut all = Vec::new();
    for (number, ((source, sink), stage)) in ends.into_iter().zip(stages).enumerate() {
        let (progress, sink) = (Arc::<Progress>::default(), Arc::new(sink));
        all.push(Stream {
            progress: Arc::clone(&progress),
            sink: Arc::downgrade(&sink),
        });
        let events = events.clone();
        let pump = Pump {
            source,
            sink,
            stage,
            progress,
        };
        std::thread::spawn(move || {
            let flow = pump.run();
            // Stdin may end at any time. Only the ends of the outputs are awaited.
            if number > 0 || flow != Flow::Continue {
                let _ = events.send(Event::PumpEnded(flow));
            }
        });
    }
    let [_, stdout, stderr] = <[_; 3]>::try_from(all).map_err(|_| closed())?;
    Ok([stdout, stderr])
}

/// Sends an event when the agent has ended, without reaping it.
fn watch_agent(pid: Pid, events: Sender<Event>) {
    std::thread::spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
        let _ = events.send(Event::AgentEnded);
    });
}

fn forward_signals(
    mut incoming: Signals,
    target: SignalTarget,
    mut on_signal: Box<dyn FnMut(&str) + Send>,
) -> Handle {
    let handle = incoming.handle();
    std::thread::spawn(move || {
        for number in incoming.forever() {
            on_signal(&signals::name(number));
            let target = target.lock().unwrap_or_else(PoisonError::into_inner);
            let known = FORWARDED.iter().find(|signal| signal.as_raw() == number);
            if let (Some(pid), Some(signal)) = (*target, known) {
                // Fails if the agent has just ended.
                let _ = kill_process(pid, *signal);
            }
        }
    });
    handle
}

/// The outputs of the agent, and the events of the session.
struct Output {
    streams: [Stream; 2],
    inbox: Receiver<Event>,
    /// The number of outputs that have ended.
    ended: usize,
    /// When the agent ended; while it runs, when it started.
    since: Instant,
}

impl Output {
    /// Waits until the agent has ended and its output is passed on, or kills it if a stage ends the session or the host has ended.
    fn wait_for_end(&mut self, tree: &MarkedTree) -> Why {
        let host = rustix::process::getppid();
        let mut without_host = None;
        loop {
            match self.inbox.recv_timeout(HOST_INTERVAL) {
                Ok(Event::AgentEnded) => break,
                Ok(Event::PumpEnded(Flow::Continue)) => self.ended += 1,
                Ok(Event::PumpEnded(Flow::End(ending))) => {
                    tree.kill();
                    return Why::Stage(ending);
                }
                Err(RecvTimeoutError::Timeout) if rustix::process::getppid() != host => {
                    let since = *without_host.get_or_insert_with(Instant::now);
                    if since.elapsed() > HOST_GRACE {
                        tree.kill();
                        return Why::HostEnded;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.since = Instant::now();
        self.make_room();
        match self.drain(READER_GRACE) {
            Flow::End(ending) => Why::Stage(ending),
            Flow::Continue => Why::AgentEnded,
        }
    }

    /// Enlarges the pipes of a host that does not read, so that the rest of the output does not delay the end.
    fn make_room(&self) {
        for stream in &self.streams {
            if let Some(sink) = stream.sink.upgrade() {
                stdio::make_room(&sink, LEFT);
            }
        }
    }

    /// Waits until both outputs have ended, or have stalled for too long: for `reader_grace` if the host does not read.
    fn drain(&mut self, reader_grace: Duration) -> Flow {
        let (mut bytes, mut since) = (self.bytes(), Instant::now());
        while self.ended < self.streams.len() {
            match self.inbox.recv_timeout(DRAIN_INTERVAL) {
                Ok(Event::PumpEnded(Flow::Continue)) => self.ended += 1,
                Ok(Event::PumpEnded(end)) => return end,
                Ok(Event::AgentEnded) => {}
                Err(RecvTimeoutError::Timeout) => {
                    if self.bytes() != bytes {
                        (bytes, since) = (self.bytes(), Instant::now());
                    }
                    let is_blocked = self
                        .streams
                        .iter()
                        .any(|stream| stream.progress.is_writing());
                    let grace = if is_blocked { reader_grace } else { PIPE_GRACE };
                    if since.elapsed() > grace {
                        return Flow::Continue;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Flow::Continue,
            }
        }
        Flow::Continue
    }

    fn bytes(&self) -> u64 {
        self.streams
            .iter()
            .map(|stream| stream.progress.bytes())
            .sum()
    }
}
