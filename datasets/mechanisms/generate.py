"""Writes the folders of this data set from problem files of the schema `mbs-problem-1`.

    python generate.py PROBLEMS OUT [NAME ...]

PROBLEMS holds a folder a problem with `problem.json` and `truth.json`, and `fixtures/`; OUT gets
a folder a mechanism with `model.toml`, `truth.json` and `states.json`, as README.md describes.
Needs numpy, scipy and mpmath. Nothing here is used by the library or shares code with it.

One set of formulas serves two kinds of numbers: doubles for the integration that finds states,
and mpmath numbers with 40 digits for everything that is written.
"""

import json
import os
import sys

import mpmath as mp
import numpy as np
import scipy.linalg
from scipy.integrate import solve_ivp

mp.mp.dps = 40
RANK_TOLERANCE = 1e-10


# ---------------------------------------------------------------------------------- numbers

def exact(values):
    """Doubles as an array of mpmath numbers."""
    out = np.empty(np.shape(values), dtype=object)
    for index, value in np.ndenumerate(np.asarray(values, dtype=object)):
        out[index] = mp.mpf(value)
    return out


def doubles(values):
    """An array rounded to doubles."""
    return np.array(values, dtype=object).astype(float)


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]])


def product(p, q):
    """Product of quaternions (w, x, y, z)."""
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.concatenate([[w], p[0] * q[1:] + q[0] * p[1:] + cross(p[1:], q[1:])])


def rotation(q):
    """Rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]])


def frame_of_child(joint):
    """Quaternion, in doubles, of the joint frame in the child of a joint with one axis: the
    shortest turn from `axis1` to `axis2`; for opposite axes half a turn about z."""
    a, b = exact(joint['axis1']), exact(joint['axis2'])
    if joint['axis1'] == joint['axis2']:
        return [1.0, 0.0, 0.0, 0.0]
    if joint['axis1'] == [-x for x in joint['axis2']]:
        assert a[2] == 0
        return [0.0, 0.0, 0.0, 1.0]
    q = np.concatenate([[1 + a @ b], cross(a, b)])
    return list(doubles(q / mp.sqrt(q @ q)))


# ---------------------------------------------------------------------------------- equations

class System:
    """Constraints, masses and forces of a problem in the velocities of its bodies.

    Plane: q and v hold x, y, angle for each body. Space: q holds position and quaternion, v the
    velocity of the centre in world axes and the angular velocity in body axes.
    """

    def __init__(self, problem, in_doubles=False):
        self.problem = problem
        self.plane = problem['dim'] == 2
        self.dim = problem['dim']
        self.array = (lambda x: np.array(x, dtype=float)) if in_doubles else exact
        self.zeros = (lambda *n: np.zeros(n)) if in_doubles else (lambda *n: exact(np.zeros(n)))
        self.sin, self.cos, self.sqrt = (np.sin, np.cos, np.sqrt) if in_doubles else (
            mp.sin, mp.cos, mp.sqrt)
        self.bodies = problem['bodies']
        self.nq, self.nv = (3, 3) if self.plane else (7, 6)
        self.n = self.nv * len(self.bodies)
        self.gravity = self.array(problem['gravity'])
        self.joints = []
        for joint in problem['joints']:
            joint = {k: self.array(v) if isinstance(v, list) else v for k, v in joint.items()}
            if 'axis2' in joint:
                # the axis as the model file says it
                q = self.array(frame_of_child(problem['joints'][len(self.joints)]))
                joint['axis2'] = rotation(q / self.sqrt(q @ q)) @ joint['axis1']
            self.joints.append(joint)
        self.forces = [{k: self.array(v) if isinstance(v, list) else v for k, v in f.items()}
                       for f in problem['forces']]
        self.M = self.zeros(self.n, self.n)
        self.inertia = []
        for i, body in enumerate(self.bodies):
            k = self.nv * i
            for j in range(self.dim):
                self.M[k + j, k + j] = self.array([body['mass']])[0]
            if self.plane:
                tensor = self.array([[body['inertia']]])
            else:
                xx, yy, zz, xy, xz, yz = list(body['inertia']) + [0.0] * (6 - len(body['inertia']))
                tensor = self.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            self.inertia.append(tensor)
            self.M[k + self.dim:k + self.nv, k + self.dim:k + self.nv] = tensor

    def initial(self):
        """The state in the problem file."""
        q, v = [], []
        for b in self.bodies:
            q += list(b['position']) + ([b['angle']] if self.plane else list(b['quaternion_wxyz']))
            v += list(b['velocity']) + (
                [b['angular_velocity']] if self.plane else list(b['angular_velocity_body']))
        return np.array(q, dtype=float), np.array(v, dtype=float)

    def place(self, q, v):
        """Takes in a state; quaternions are normalised first."""
        self.v = v
        self.x, self.R, self.omega = [], [], []
        for i in range(len(self.bodies)):
            at, vt = q[self.nq * i:self.nq * (i + 1)], v[self.nv * i:self.nv * (i + 1)]
            self.x.append(at[:self.dim])
            self.omega.append(vt[self.dim:])
            if self.plane:
                c, s = self.cos(at[2]), self.sin(at[2])
                self.R.append(np.array([[c, -s], [s, c]]))
            else:
                self.R.append(rotation(at[3:] / self.sqrt(at[3:] @ at[3:])))

    def direction(self, body, u):
        """A vector fixed in a body: world components, Jacobian, and the part of its second
        derivative that holds no accelerations."""
        J = self.zeros(self.dim, self.n)
        if body < 0:
            return u, J, self.zeros(self.dim)
        w, k = self.R[body] @ u, self.nv * body + self.dim
        if self.plane:
            J[:, k] = [-w[1], w[0]]
            return w, J, -w * self.omega[body][0] ** 2
        # R (omega x u) = -R [u]x omega
        for j in range(3):
            e = self.zeros(3)
            e[j] = e[j] + 1
            J[:, k + j] = self.R[body] @ cross(e, u)
        omega = self.omega[body]
        return w, J, self.R[body] @ cross(omega, cross(omega, u))

    def point(self, body, p):
        """As `direction`, for a point."""
        w, J, bias = self.direction(body, p)
        if body >= 0:
            w = w + self.x[body]
            for j in range(self.dim):
                J[j, self.nv * body + j] += 1
        return w, J, bias

    def difference(self, element):
        """Point 2 minus point 1 of a joint or a force."""
        return [a - b for a, b in zip(self.point(element['body2'], element['point2']),
                                      self.point(element['body1'], element['point1']))]

    def dot(self, a, b):
        """The row that says a . b = 0."""
        rate = (a[1] @ self.v) @ (b[1] @ self.v)
        return a[0] @ b[0], b[0] @ a[1] + a[0] @ b[1], -(a[0] @ b[2] + b[0] @ a[2] + 2 * rate)

    def constraints(self, q, v):
        """Residuals, Jacobian and gamma: J a = gamma."""
        self.place(q, v)
        rows = []
        for joint in self.joints:
            one, two = joint['body1'], joint['body2']
            d = self.difference(joint)
            first = lambda key: self.direction(one, joint[key])
            second = lambda key: self.direction(two, joint[key])
            if joint['type'] in ('revolute', 'spherical'):
                rows += [(d[0][i], d[1][i], -d[2][i]) for i in range(self.dim)]
                if not self.plane and joint['type'] == 'revolute':
                    axis = second('axis2')
                    rows += [self.dot(first(key), axis) for key in ('normal1a', 'normal1b')]
            elif joint['type'] == 'distance':
                length = self.sqrt(d[0] @ d[0])
                u, rate = d[0] / length, d[1] @ v
                rows.append((length - self.array([joint['length']])[0], u @ d[1],
                             -(u @ d[2]) - (rate @ rate - (u @ rate) ** 2) / length))
            elif self.plane:
                assert joint['type'] == 'prismatic'
                rows.append(self.dot(first('normal1'), d))
                row, angle = self.zeros(self.n), 0
                for sign, body in ((-1, one), (1, two)):
                    if body >= 0:
                        row[3 * body + 2] += sign
                        angle = angle + sign * q[3 * body + 2] - sign * self.array(
                            [self.bodies[body]['angle']])[0]
                rows.append((angle, row, 0 * row[0]))
            else:
                assert joint['type'] == 'prismatic'
                axis, normal = second('axis2'), second('normal2')
                a, b = first('normal1a'), first('normal1b')
                rows += [self.dot(a, d), self.dot(b, d), self.dot(a, axis), self.dot(b, axis),
                         self.dot(a, normal)]
        if not rows:
            return self.zeros(0), self.zeros(0, self.n), self.zeros(0)
        phi, J, gamma = zip(*rows)
        return np.array(phi), np.array(J), np.array(gamma)

    def applied(self):
        """Generalised forces, gyroscopic moments among them, in the state last placed."""
        Q = self.zeros(self.n)
        for i, body in enumerate(self.bodies):
            k = self.nv * i
            Q[k:k + self.dim] += self.M[k, k] * self.gravity
            if not self.plane:
                w = self.omega[i]
                Q[k + 3:k + 6] -= cross(w, self.inertia[i] @ w)
        for force in self.forces:
            if force['type'] == 'torque':
                value = self.array([force['value']])[0]
                for sign, body in ((-1, force['body1']), (1, force['body2'])):
                    if body >= 0:
                        Q[3 * body + 2] += sign * value
                continue
            d = self.difference(force)
            length = self.sqrt(d[0] @ d[0])
            u = d[0] / length
            number = lambda key: self.array([force[key]])[0]
            rate = u @ (d[1] @ self.v)
            tension = number('stiffness') * (length - number('rest_length'))
            Q -= (tension + number('damping') * rate) * (u @ d[1])
        return Q

    def energy(self, q, v):
        """Kinetic energy, gravity with zero at the origin, springs."""
        self.place(q, v)
        E = v @ (self.M @ v) / 2
        for i in range(len(self.bodies)):
            E -= self.M[self.nv * i, self.nv * i] * (self.gravity @ self.x[i])
        for force in self.forces:
            if force['type'] == 'spring':
                d = self.difference(force)[0]
                E += force['stiffness'] * (self.sqrt(d @ d) - self.array(
                    [force['rest_length']])[0]) ** 2 / 2
        return E

    def rates(self, q, v):
        """Time derivative of q."""
        if self.plane:
            return v
        out = []
        for i in range(len(self.bodies)):
            omega = np.concatenate([[0 * v[0]], v[6 * i + 3:6 * i + 6]])
            out += [v[6 * i:6 * i + 3], product(q[7 * i + 3:7 * i + 7], omega) / 2]
        return np.concatenate(out)

    def moved(self, q, step):
        """q after a small displacement in velocity coordinates."""
        if self.plane:
            return q + step
        q = q + self.rates(q, step)
        for i in range(len(self.bodies)):
            p = q[7 * i + 3:7 * i + 7]
            q[7 * i + 3:7 * i + 7] = p / self.sqrt(p @ p)
        return q


# ---------------------------------------------------------------------------------- solutions

def independent(J, reverse=False):
    """Indices of independent rows: QR with pivoting of the rows, each scaled to length one."""
    J = doubles(J)
    if len(J) == 0:
        return []
    order = np.arange(len(J))[::-1] if reverse else np.arange(len(J))
    scaled = (J / np.linalg.norm(J, axis=1)[:, None])[order]
    _, r, pivots = scipy.linalg.qr(scaled.T, mode='economic', pivoting=True)
    rank = int(np.sum(abs(np.diag(r)) > RANK_TOLERANCE))
    return sorted(order[pivots[:rank]])


def accelerations(system, q, v, reverse=False):
    """Accelerations and multipliers of the independent rows with about 30 digits: the saddle-point
    system factored in doubles and refined with residuals of 40 digits."""
    _, J, gamma = system.constraints(q, v)
    rows = independent(J, reverse)
    J, gamma = J[rows], gamma[rows]
    n, m = system.n, len(rows)
    Q = system.applied()
    scale = 1 / np.sqrt(np.maximum(np.diag(doubles(system.M)), 1e-12))
    scale = np.concatenate([scale, np.ones(m)])
    K = np.zeros((n + m, n + m))
    K[:n, :n], K[:n, n:], K[n:, :n] = doubles(system.M), doubles(J).T, doubles(J)
    factors = scipy.linalg.lu_factor(scale[:, None] * K * scale)
    a, multipliers = system.zeros(n), system.zeros(m)
    for sweep in range(40):
        residual = doubles(np.concatenate([Q - system.M @ a - J.T @ multipliers, gamma - J @ a]))
        step = scale * scipy.linalg.lu_solve(factors, scale * residual)
        a = a + exact(step[:n])
        multipliers = multipliers + exact(step[n:])
        if np.max(abs(step[:n])) <= 1e-30 * (1 + np.max(abs(doubles(a)))):
            return a, multipliers, rows
    raise RuntimeError('refinement did not converge')


def projected(system, q, v):
    """The nearest state that satisfies the constraints, with about 30 digits."""
    q, v = exact(q), exact(v)
    q = system.moved(q, 0 * v)
    for stage in range(2):
        for sweep in range(40):
            phi, J, _ = system.constraints(q, v)
            if len(phi) == 0:
                break
            residual = phi if stage == 0 else J @ v
            if np.max(abs(doubles(residual))) < 1e-32 * max(1, np.max(abs(doubles(v)))):
                break
            rows = independent(J)
            step = -np.linalg.lstsq(doubles(J)[rows], doubles(residual)[rows], rcond=None)[0]
            if np.max(abs(step)) < 1e-33:
                break
            q, v = (system.moved(q, exact(step)), v) if stage == 0 else (q, v + exact(step))
        else:
            raise RuntimeError('projection did not converge')
    return q, v


def integrated(problem, times, rtol):
    """Approximate states at the times, in doubles."""
    system = System(problem, in_doubles=True)
    q0, v0 = system.initial()
    k, n = len(q0), system.n

    def rhs(_, y):
        q, v = y[:k], y[k:]
        _, J, gamma = system.constraints(q, v)
        m = len(gamma)
        K = np.zeros((n + m, n + m))
        K[:n, :n], K[:n, n:], K[n:, :n] = system.M, J.T, J
        b = np.concatenate([system.applied(), gamma])
        if full:
            x = np.linalg.solve(K, b)
        else:
            x = np.linalg.lstsq(K, b, rcond=1e-9)[0]
        return np.concatenate([system.rates(q, v), x[:n]])

    J = system.constraints(q0, v0)[1]
    full = len(independent(J)) == len(J)
    t, out = 0.0, []
    for end in times:
        for t_end in np.linspace(t, end, 11)[1:]:  # back onto the constraints now and then
            y = solve_ivp(rhs, (t, t_end), np.concatenate([q0, v0]), method='DOP853', rtol=rtol,
                          atol=rtol)
            assert y.success
            t, q0, v0 = t_end, y.y[:k, -1], y.y[k:, -1]
            for sweep in range(3 if len(J) else 0):
                phi, J, _ = system.constraints(q0, v0)
                inverse = np.linalg.pinv(J, rcond=1e-9)
                q0, v0 = system.moved(q0, -inverse @ phi), v0 - inverse @ (J @ v0)
        out.append((q0, v0))
    return out


# ---------------------------------------------------------------------------------- closed forms

def parallel_cranks(problem, c, s, phi, rate, acceleration):
    """State of mechanisms with equal bars of 1 m that turn alike and carry what does not turn."""
    q, v, a = [], [], []
    for body in problem['bodies']:
        bar = body['angular_velocity'] != 0.0
        reach = mp.mpf('0.5') if bar else mp.mpf(1)
        start = body['position'][0] - reach * mp.cos(problem['bodies'][0]['angle'])
        base = mp.nint(2 * start) / 2
        q += [base + reach * c, reach * s, phi if bar else mp.mpf(0)]
        v += [-reach * s * rate, reach * c * rate, rate if bar else mp.mpf(0)]
        a += [-reach * (s * acceleration + c * rate ** 2),
              reach * (c * acceleration - s * rate ** 2), acceleration if bar else mp.mpf(0)]
    return np.array(q), np.array(v), np.array(a)


def four_bars_truth(problem, truth):
    """Full states from the angle of the bars; cosine and sine from the printed end point."""
    for state in truth['states']:
        c, s = exact(state['B0'])
        length = mp.sqrt(c * c + s * s)
        rate, acceleration = mp.mpf(state['phi_dot']), mp.mpf(state['phi_ddot'])
        yield (state['t'], *parallel_cranks(problem, c / length, s / length,
                                            mp.mpf(state['phi']), rate, acceleration))


def parallel_cranks_states(problem, times):
    """The equivalent pendulum I phi'' = -W cos(phi), which passes singular positions safely."""
    bars = [body['angular_velocity'] != 0.0 for body in problem['bodies']]
    masses = [body['mass'] for body in problem['bodies']]
    inertia = sum(m / 3 if bar else m for m, bar in zip(masses, bars))
    weight = 9.81 * sum(m / 2 if bar else m for m, bar in zip(masses, bars))
    start = [problem['bodies'][0][key] for key in ('angle', 'angular_velocity')]
    out = solve_ivp(lambda _, y: [y[1], -weight / inertia * np.cos(y[0])], (0, times[-1]), start,
                    method='DOP853', rtol=1e-13, atol=1e-13, dense_output=True)
    for t in times:
        while abs(np.sin(out.sol(t)[0])) < 0.3:
            t -= 1 / 32  # away from the singular position
        phi, rate = out.sol(t)
        q, v, _ = parallel_cranks(problem, mp.cos(phi), mp.sin(phi), mp.mpf(phi), mp.mpf(rate), 0)
        yield t, q, v


def chain_truth(problem, truth):
    """Full states of a chain of equal bars from their angles."""
    half = exact([problem['joints'][1]['point1'][0]])[0]
    n = len(problem['bodies'])
    for state in truth['states']:
        angles, rates, acc = exact(state['values'][:3 * n]).reshape(3, n)
        x, xd, xdd = (exact(np.zeros(2)) for _ in range(3))
        q, v, a = [], [], []
        for phi, w, al in zip(angles, rates, acc):
            u = np.array([mp.cos(phi), mp.sin(phi)]) * half
            p = np.array([-u[1], u[0]])
            q += [*(x + u), phi]
            v += [*(xd + p * w), w]
            a += [*(xdd + p * al - u * w * w), al]
            x, xd, xdd = x + 2 * u, xd + 2 * p * w, xdd + 2 * (p * al - u * w * w)
        yield state['t'], np.array(q), np.array(v), np.array(a)


def governor_truth(problem, truth):
    """Full states of the symmetric governor from shaft angle, slider height and the angle of the
    rods below the horizontal; the accelerations follow from the equations of motion."""
    system = System(problem)
    zero, one = mp.mpf(0), mp.mpf(1)
    for state in truth['states']:
        theta, s, alpha, thetad, sd, alphad = exact(state['values'][:6])
        turn = np.array([mp.cos(theta / 2), zero, zero, mp.sin(theta / 2)])
        spin = np.array([zero, zero, thetad])
        q = [zero, zero, mp.mpf('0.5'), *turn, zero, zero, s, *turn]
        v = [zero, zero, zero, *spin, zero, zero, sd, *spin]
        for joint, half in ((system.joints[2], (one, zero)), (system.joints[3], (zero, one))):
            dip = np.array([mp.cos(alpha / 2), zero, mp.sin(alpha / 2), zero])
            p = product(product(turn, np.array([half[0], zero, zero, half[1]])), dip)
            R = rotation(p)
            omega = R.T @ spin + np.array([zero, alphad, zero])
            hinge = rotation(turn) @ joint['point1'] + np.array([zero, zero, mp.mpf('0.5')])
            q += [*(hinge - R @ joint['point2']), *p]
            v += [*(cross(spin, hinge) - R @ cross(omega, joint['point2'])), *omega]
        q, v = np.array(q), np.array(v)
        yield state['t'], q, v, accelerations(system, q, v)[0]


# ---------------------------------------------------------------------------------- problems

IFTOMM = ('Library of Computational Benchmark Problems of the IFToMM Technical Committee for '
          'Multibody Dynamics, University of A Coruna')
NIKRAVESH = 'P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice-Hall 1988'
OWN = 'classical mechanism, own numbers'
# name: (title, source)
ABOUT = {
    'a01_pendulum': ('simple pendulum, a point mass on a massless rod', IFTOMM + ', problem A01'),
    'a02_fourbar_n2': ('N-four-bar, N = 2', IFTOMM + ', problem A02'),
    'a02_fourbar_n10': ('N-four-bar, N = 10', IFTOMM + ', problem A02'),
    'a02_fourbar_n40': ('N-four-bar, N = 40', IFTOMM + ', problem A02'),
    'a03_andrews': ("Andrews' squeezing mechanism, driven by a constant torque",
                    'F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers; '
                    + IFTOMM + ', problem A03'),
    'a04_bricard': ("Bricard's mechanism: five rods, six revolute joints, one row redundant",
                    IFTOMM + ', problem A04'),
    'a05_flyball': ('stiff flyball governor', IFTOMM + ', problem A05'),
    'flyball_soft': ('flyball governor as in A05 with a soft coupling (8e3 N/m, 40 N s/m)',
                     IFTOMM + ', problem A05, with own coupling'),
    'chain2': ('double pendulum, uniform bars', OWN),
    'chain5': ('chain of 5 uniform bars, released horizontally', OWN),
    'chain50': ('chain of 50 equal bars, released from a bent position', OWN),
    'fm24': ('two double parallel cranks in series: 24 coordinates, 24 rows of rank 22',
             'own numbers, in place of the overconstrained linkage of D. de Falco, E. Pennestri, '
             'L. Vita, ECCOMAS Multibody Dynamics 2005, and of later papers on pseudoinverses'),
    'conservative_fm24': ('as fm24 without the damper', 'as fm24'),
    'fourbar_ex32': ('four-bar, uniform bars, free motion under gravity',
                     NIKRAVESH + ', Example 3.2 (lengths and start); own masses'),
    'heavy_top': ('heavy top, 15 kg, spin 150 rad/s',
                  'M. Geradin, A. Cardona, Flexible Multibody Dynamics, Wiley 2001'),
    'peaucellier': ("Peaucellier's straight-line linkage, 7 uniform bars, gravity along x", OWN),
    'slidercrank': ('slider-crank', OWN),
    'spatial_chain3': ('three boxes, revolute joints about y, z and x', OWN),
    'stewart_springs': ('platform on six legs that are springs with dampers', OWN),
    'double_parallel_crank': (
        'double parallel crank: three cranks and a platform, 12 rows of rank 11, 1 degree of '
        'freedom', NIKRAVESH + ', Fig. 3.8a; own numbers'),
    'massless_coupler': ('four-bar whose coupler has neither mass nor inertia',
                         'as fourbar_ex32, with a massless coupler'),
}
SPAN = {'a05_flyball': 1.0}  # where states.json ends if not at t_end
CONVERTED = {'a02_fourbar_n2': four_bars_truth, 'a02_fourbar_n10': four_bars_truth,
             'a02_fourbar_n40': four_bars_truth, 'chain50': chain_truth,
             'a05_flyball': governor_truth}


def double_parallel_crank():
    """Cranks of 1 m and 1 kg, 1 m apart, under a platform of 2 m and 2 kg; 1.1 rad, 2 rad/s."""
    c, s = mp.cos(mp.mpf(1.1)), mp.sin(mp.mpf(1.1))
    bodies, joints = [], []
    for i in range(3):
        bodies.append({'name': f'crank{i}', 'mass': 1.0, 'inertia': 1 / 12,
                       'position': [float(i + c / 2), float(s / 2)], 'angle': 1.1,
                       'velocity': [float(-s), float(c)], 'angular_velocity': 2.0})
        joints.append({'type': 'revolute', 'body1': -1, 'body2': i, 'point1': [float(i), 0.0],
                       'point2': [-0.5, 0.0]})
    bodies.append({'name': 'platform', 'mass': 2.0, 'inertia': 2 / 3,
                   'position': [float(1 + c), float(s)], 'angle': 0.0,
                   'velocity': [float(-2 * s), float(2 * c)], 'angular_velocity': 0.0})
    joints += [{'type': 'revolute', 'body1': i, 'body2': 3, 'point1': [0.5, 0.0],
                'point2': [i - 1.0, 0.0]} for i in range(3)]
    return {'name': 'double_parallel_crank', 'dim': 2, 'gravity': [0.0, -9.81], 'bodies': bodies,
            'joints': joints, 'forces': [], 't_end': 5.0}


def load(problems, name):
    """The problem of a name and its truth, if it has one."""
    if name == 'double_parallel_crank':
        return double_parallel_crank(), None
    folder = {'conservative_fm24': 'fm24_conservative', 'massless_coupler': 'fourbar_ex32',
              'fourbar_table': 'fourbar_ex32'}.get(name, name)
    read = lambda file: json.load(open(os.path.join(problems, folder, file), encoding='utf-8'))
    problem, truth = read('problem.json'), read('truth.json')
    if name == 'massless_coupler':
        problem['bodies'][1].update(mass=0.0, inertia=0.0)
    return problem, truth if folder == name or name == 'conservative_fm24' else None


# ---------------------------------------------------------------------------------- model files

def number(x):
    return repr(float(x) + 0.0)


def vector(values):
    return '[' + ', '.join(number(x) for x in values) + ']'


def model(name, problem, title, source, joint_order=None, extra=''):
    """The text of model.toml."""
    plane = problem['dim'] == 2
    body_name = lambda i: 'ground' if i < 0 else problem['bodies'][i]['name']
    lines = [f'# {name}: {title}', f'# Source: {source}.',
             '# SI units, radians; body frames at the mass centres. Described in ../README.md.', '',
             f'name = "{name}"']
    if plane:
        lines.append('kind = "planar"')
    lines += [f'description = "{title}"', f'source = "{source}"',
              f'gravity = {vector(problem["gravity"])}']
    for body in problem['bodies']:
        inertia = number(body['inertia']) if plane else vector(body['inertia'])
        lines += ['', '[[bodies]]', f'name = "{body["name"]}"', f'mass = {number(body["mass"])}']
        if body['inertia'] != 0.0:
            lines.append(f'inertia = {inertia}')
        lines.append(f'position = {vector(body["position"])}')
        if plane:
            omega = number(body['angular_velocity'])
            lines.append(f'angle = {number(body["angle"])}')
        else:
            # from body axes to world axes
            q = exact(body['quaternion_wxyz'])
            R = rotation(q / mp.sqrt(q @ q))
            omega = vector(doubles(R @ exact(body['angular_velocity_body'])))
            lines.append(f'quaternion = {vector(body["quaternion_wxyz"])}')
        lines += [f'velocity = {vector(body["velocity"])}', f'angular_velocity = {omega}']
    carried = {joint['body2'] for joint in problem['joints'] if joint['type'] != 'distance'}
    for i, body in enumerate(problem['bodies']):
        if i not in carried:
            lines += ['', '[[joints]]', f'name = "ground_{body["name"]}"', 'type = "free"',
                      'parent = "ground"', f'child = "{body["name"]}"']
    distances = []
    for j in joint_order or range(len(problem['joints'])):
        joint = problem['joints'][j]
        parent, child = body_name(joint['body1']), body_name(joint['body2'])
        if joint['type'] == 'distance':
            distances += ['', '[[constraints]]', 'type = "distance"',
                          f'name = "distance_{parent}_{child}"',
                          f'body1 = "{parent}"', f'point1 = {vector(joint["point1"])}',
                          f'body2 = "{child}"', f'point2 = {vector(joint["point2"])}',
                          f'length = {number(joint["length"])}']
            continue
        lines += ['', '[[joints]]', f'name = "{parent}_{child}"', f'type = "{joint["type"]}"',
                  f'parent = "{parent}"', f'child = "{child}"']
        turn = ''
        if not plane and joint['type'] != 'spherical':
            turn = frame_of_child(joint)
            turn = f', quaternion = {vector(turn)}' if turn[0] != 1.0 else ''
            if joint['type'] == 'prismatic':
                assert turn == '' and joint['normal2'] == joint['normal1b']
        for key, point, frame in (('in_parent', joint['point1'], ''),
                                  ('in_child', joint['point2'], turn)):
            if any(point) or frame:
                lines.append(f'{key} = {{ position = {vector(point)}{frame} }}')
        axis = joint.get('axis1') if joint['type'] != 'spherical' else None
        if axis and axis != [0.0, 0.0, 1.0]:
            lines.append(f'axis = {vector(axis)}')
    lines += distances
    for f, force in enumerate(problem['forces']):
        one, two = body_name(force['body1']), body_name(force['body2'])
        title = f'leg{f + 1}' if name == 'stewart_springs' else f'{force["type"]}_{one}_{two}'
        lines += ['', '[[forces]]']
        if force['type'] == 'torque':
            lines += ['type = "torque"', f'name = "{title}"', f'body1 = "{one}"',
                      f'body2 = "{two}"', f'torque = {number(force["value"])}']
        else:
            lines += ['type = "spring_damper"', f'name = "{title}"',
                      f'body1 = "{one}"', f'point1 = {vector(force["point1"])}',
                      f'body2 = "{two}"', f'point2 = {vector(force["point2"])}',
                      f'stiffness = {number(force["stiffness"])}']
            if force['damping'] != 0.0:
                lines.append(f'damping = {number(force["damping"])}')
            lines.append(f'rest_length = {number(force["rest_length"])}')
    return '\n'.join(lines) + '\n' + extra


# ---------------------------------------------------------------------------------- JSON files

def write_states(path, head, states):
    """A JSON file with one line for each list of numbers."""
    text = ['{']
    text += [f' "{key}": {json.dumps(value)},' for key, value in head.items()]
    text.append(' "states": [')
    for k, state in enumerate(states):
        text.append('  {')
        items = []
        for key, value in state.items():
            if isinstance(value, str):
                items.append(f'   "{key}": {value}')
            else:
                value = value + 0.0 if isinstance(value, float) else [x + 0.0 for x in value]
                items.append(f'   "{key}": {json.dumps(value)}')
        text.append(',\n'.join(items))
        text.append('  }' + (',' if k + 1 < len(states) else ''))
    text.append(' ]\n}')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(text) + '\n')


def short(values):
    """Residuals with three digits."""
    return '[' + ', '.join('0.0' if x == 0 else f'{float(x):.2e}' for x in values) + ']'


def deviation(a, b):
    """Largest difference relative to 1 + |value|."""
    a, b = doubles(a), doubles(b)
    return float(np.max(abs(a - b) / (1 + abs(b)))) if len(a) else 0.0


def write_truth(path, name, problem, truth):
    """Writes the truth and compares its accelerations with the equations here."""
    system = System(problem)
    states, worst, energies, given_worst = [], 0.0, 0.0, 0.0
    tidy = lambda values: [0.0 if abs(x) < 1e-25 else float(x) for x in values]
    if name in CONVERTED:
        for t, q, v, a in CONVERTED[name](problem, truth):
            computed = accelerations(system, q, v)[0]
            worst = max(worst, deviation(computed, a))
            states.append({'t': float(t), 'q': tidy(doubles(q)), 'v': tidy(doubles(v)),
                           'a': tidy(doubles(a)), 'energy': float(system.energy(q, v))})
    else:
        for state in truth['states']:
            q, v = exact(state['q']), exact(state['v'])
            worst = max(worst, deviation(accelerations(system, q, v)[0], state['a']))
            energy = float(system.energy(q, v))
            energies = max(energies, abs(energy - state['energy']) / (1 + abs(energy)))
            states.append({'t': float(state['t']), 'q': tidy(state['q']), 'v': tidy(state['v']),
                           'a': tidy(state['a']), 'energy': state['energy']})
    for state in states:  # the rounded states are what readers use
        q, v = exact(state['q']), exact(state['v'])
        given_worst = max(given_worst, deviation(accelerations(system, q, v)[0], state['a']))
    head = {'schema': 'pommel-mechanism-truth-1', 'mechanism': name,
            'digits_trusted': truth['digits_trusted']}
    if name == 'a05_flyball':
        head['digits_trusted_a'] = 11  # stiff: the last digits of the state count
    write_states(path, head, states)
    print(f'  truth: a differs by {worst:.1e} (unrounded), {given_worst:.1e} (rounded states), '
          f'energy by {energies:.1e}')


def write_sampled(path, name, problem, truth):
    """Writes ten states with their accelerations."""
    system = System(problem)
    end = SPAN.get(name, problem['t_end'])
    times = [end * k / 10 for k in range(1, 11)]
    if name.startswith('a02_') or name == 'double_parallel_crank':
        found = list(parallel_cranks_states(problem, times))
    else:
        found = [(t, *y) for t, y in zip(times, integrated(problem, times, 1e-12))]
    states, spread, residual = [], 0.0, 0.0
    kept, dropped, rank = np.inf, 0.0, None
    for t, q, v in found:
        q, v = (doubles(x) for x in projected(system, q, v))
        q, v = (np.where(abs(x) < 1e-20, 0.0, x) for x in (q, v))
        mq, mv = exact(q), exact(v)
        phi, J, _ = system.constraints(mq, mv)
        a, multipliers, rows = accelerations(system, mq, mv)
        assert rank in (None, len(rows))
        rank = len(rows)
        if rank:
            D = doubles(J)
            values = np.linalg.svd(D / np.linalg.norm(D, axis=1)[:, None], compute_uv=False)
            kept = min(kept, values[rank - 1])
            dropped = max(dropped, *values[rank:]) if rank < len(values) else dropped
        if rank < len(phi):
            spread = max(spread, deviation(accelerations(system, mq, mv, True)[0], a))
        state = {'t': float(t), 'q': list(q), 'v': list(v), 'a': list(doubles(a))}
        if system.plane and rank == len(phi) and rank:
            state['lambda'] = list(doubles(multipliers))
        state['position_residual'] = short(phi)
        state['velocity_residual'] = short(J @ mv)
        residual = max([residual, *abs(doubles(phi)), *abs(doubles(J @ mv))])
        states.append(state)
    head = {'schema': 'pommel-mechanism-states-1', 'mechanism': name, 'rows': len(phi),
            'rank': rank}
    write_states(path, head, states)
    print(f'  states: rows {len(phi)}, rank {rank}, singular values kept > {kept:.1e}, dropped < '
          f'{dropped:.1e}, residual {residual:.1e}, choice of rows {spread:.1e}')
    if truth and name not in CONVERTED:
        for state in truth['states']:
            for mine in states:
                if mine['t'] == state['t']:
                    print(f'    at t = {state["t"]}: q differs by '
                          f'{deviation(mine["q"], state["q"]):.1e}')


def write_tables(problems, out):
    """The kinematic table of the four-bar and the iterations of Newton's method."""
    def copy(file, folder, source):
        with open(os.path.join(problems, 'fixtures', file), encoding='utf-8') as f:
            table = json.load(f)
        table['source'] = source
        os.makedirs(os.path.join(out, folder), exist_ok=True)
        lines = []
        for key, value in table.items():
            if key == 'rows':
                rows = ',\n  '.join(json.dumps(row) for row in value)
                lines.append(f' "rows": [\n  {rows}\n ]')
            else:
                lines.append(f' "{key}": {json.dumps(value)}')
        with open(os.path.join(out, folder, 'table.json'), 'w', encoding='utf-8') as f:
            f.write('{\n' + ',\n'.join(lines) + '\n}\n')

    copy('kin_fourbar_ex32.json', 'fourbar_table', NIKRAVESH + ', Example 3.2')
    copy('newton_roll_ex313.json', 'rolling_newton', NIKRAVESH + ', Example 3.13')
    problem, _ = load(problems, 'fourbar_table')
    driver = ('\n[[drivers]]\nname = "crank_angle"\njoint = "ground_crank"\n'
              'motion = { type = "polynomial", coefficients = [2.36, '
              f'{number(2 * mp.pi)}] }}\n')
    with open(os.path.join(out, 'fourbar_table', 'model.toml'), 'w', encoding='utf-8') as f:
        f.write(model('fourbar_table', problem,
                      'four-bar with links of 0.2, 0.4 and 0.3 m, the crank driven at 2 pi rad/s',
                      NIKRAVESH + ', Example 3.2; own masses', [0, 3, 1, 2], driver))


def main():
    problems, out, *names = sys.argv[1:]
    for name in names or ABOUT:
        print(name, flush=True)
        problem, truth = load(problems, name)
        folder = os.path.join(out, name)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, 'model.toml'), 'w', encoding='utf-8') as file:
            file.write(model(name, problem, *ABOUT[name]))
        if truth:
            write_truth(os.path.join(folder, 'truth.json'), name, problem, truth)
        write_sampled(os.path.join(folder, 'states.json'), name, problem, truth)
    if not names:
        write_tables(problems, out)


if __name__ == '__main__':
    main()
