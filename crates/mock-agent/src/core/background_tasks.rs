//! Background tasks: work of protocol adapters that runs beside the turns, several tasks at a time.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use tokio::sync::Notify;

/// A task that runs.
pub(crate) type TaskFuture<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// A task that has not started. `S` is the session that it works on.
pub(crate) type BackgroundTask<S> = Box<dyn for<'a> FnOnce(&'a S) -> TaskFuture<'a>>;

/// The tasks that have not started.
pub(crate) struct BackgroundTasks<S> {
    waiting: RefCell<Vec<BackgroundTask<S>>>,
    changed: Notify,
}

impl<S> Default for BackgroundTasks<S> {
    fn default() -> Self {
        BackgroundTasks {
            waiting: RefCell::default(),
            changed: Notify::new(),
        }
    }
}

impl<S> BackgroundTasks<S> {
    /// Adds a task, which starts soon.
    pub(crate) fn add(&self, task: BackgroundTask<S>) {
        self.waiting.borrow_mut().push(task);
        self.changed.notify_one();
    }

    /// Lets [`BackgroundTasks::run`] check again whether it is over.
    pub(super) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Runs tasks until `is_over`; drops those that are still running then.
    pub(super) async fn run(&self, session: &S, is_over: impl Fn() -> bool) {
        let mut running: Vec<TaskFuture<'_>> = Vec::new();
        while !is_over() {
            let new = self.waiting.take().into_iter();
            running.extend(new.map(|task| task(session)));
            tokio::select! {
                biased;
                () = finish_one(&mut running) => {}
                () = self.changed.notified() => {}
            }
        }
    }
}

/// Waits until one of the tasks has finished, and removes it.
async fn finish_one(running: &mut Vec<TaskFuture<'_>>) {
    poll_fn(|cx| {
        let finished = running
            .iter_mut()
            .position(|task| task.as_mut().poll(cx).is_ready());
        match finished {
            Some(n) => {
                drop(running.swap_remove(n));
                Poll::Ready(())
            }
            None => Poll::Pending,
        }
    })
    .await;
}
